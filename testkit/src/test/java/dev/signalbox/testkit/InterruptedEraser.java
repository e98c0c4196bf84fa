package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;

/**
 * A process that dies between the entry that says it erases and the destruction of the key, or just
 * before that entry.
 */
final class InterruptedEraser {
  static final String NAME = "Ford-Prefect-42";

  static final String GUEST =
      """
      machine: guest
      context:
        name: { type: string, default: "", personal: true }
      states:
        IN: { waits: the guest, on: { sign: { assign: { name: event.name } }, leave: OUT } }
        OUT: { final: true }
      """;

  private InterruptedEraser() {}

  /**
   * Arguments: the store's file, the folder of the operator's keys, whether the instance is in the
   * store ({@code here}) or in an archive ({@code archived}), and the call during which the process
   * dies ({@code append} or {@code destroyKeys}).
   */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    Dying journal =
        new Dying(SqliteJournal.open(file, InstantSource.system()), arguments[3].equals("append"));
    Signalbox box =
        Signalbox.open(
            journal, Settings.DEFAULT, InstantSource.system(), Keyring.at(Path.of(arguments[1])));
    box.publish(MachineReader.read(new Source("guest.yaml", GUEST)));
    String id = box.start("guest", Map.of()).id();
    box.send(id, "sign", Map.of("name", NAME));
    box.send(id, "leave");
    if (arguments[2].equals("archived")) {
      Archive.write(
          journal, SigningKey.fresh(), file.resolveSibling("old.jsonl"), Long.MAX_VALUE, 10);
    }
    System.out.println(id);
    System.out.flush();
    box.erase(id);
  }

  /** A store whose process is gone before a key is destroyed, or that is written down. */
  private static final class Dying extends ForwardingJournal {
    private final boolean unwritten;
    private volatile boolean condemned;

    Dying(Journal to, boolean unwritten) {
      super(to);
      this.unwritten = unwritten;
    }

    @Override
    public void condemnKeys(Collection<Long> instances) {
      super.condemnKeys(instances);
      condemned = true;
    }

    @Override
    public Appended append(Group group) {
      if (unwritten && condemned) {
        Runtime.getRuntime().halt(137);
      }
      return super.append(group);
    }

    @Override
    public void destroyKeys(Collection<Long> instances) {
      if (!instances.isEmpty()) {
        Runtime.getRuntime().halt(137);
      }
    }
  }
}
