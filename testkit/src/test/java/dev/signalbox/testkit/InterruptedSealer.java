package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * A process that dies after the key of a new instance was kept, and before the commit that would
 * have made the instance.
 */
final class InterruptedSealer {
  private InterruptedSealer() {}

  /** Arguments: the store's file, and the folder of the operator's keys. */
  public static void main(String[] arguments) {
    Journal journal = new Dying(SqliteJournal.open(Path.of(arguments[0]), InstantSource.system()));
    Signalbox box =
        Signalbox.open(
            journal, Settings.DEFAULT, InstantSource.system(), Keyring.at(Path.of(arguments[1])));
    box.publish(MachineReader.read(new Source("guest.yaml", InterruptedEraser.GUEST)));
    box.start("guest", Map.of());
  }

  /** A store whose process is gone when it is about to commit what a new key seals. */
  private static final class Dying extends ForwardingJournal {
    private volatile boolean kept;

    Dying(Journal to) {
      super(to);
    }

    @Override
    public void keepKeys(List<InstanceKey> keys) {
      super.keepKeys(keys);
      // What tells the operator's key from another is kept under 0.
      kept |= keys.stream().anyMatch(key -> key.instance() > 0);
    }

    @Override
    public Appended append(Group group) {
      if (kept) {
        Runtime.getRuntime().halt(137);
      }
      return super.append(group);
    }
  }
}
