package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;

/** A process that dies between the entry that says it erases and the destruction of the key. */
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

  /** Arguments: the store's file and the folder of the operator's keys. */
  public static void main(String[] arguments) {
    Journal journal = SqliteJournal.open(Path.of(arguments[0]), InstantSource.system());
    Signalbox box =
        Signalbox.open(
            new Dying(journal),
            Settings.DEFAULT,
            InstantSource.system(),
            Keyring.at(Path.of(arguments[1])));
    box.publish(MachineReader.read(new Source("guest.yaml", GUEST)));
    String id = box.start("guest", Map.of()).id();
    box.send(id, "sign", Map.of("name", NAME));
    box.send(id, "leave");
    System.out.println(id);
    System.out.flush();
    box.erase(id);
  }

  /** A store whose process is gone before a key is destroyed. */
  private static final class Dying extends ForwardingJournal {
    Dying(Journal to) {
      super(to);
    }

    @Override
    public void destroyKeys(Collection<Long> instances) {
      if (!instances.isEmpty()) {
        Runtime.getRuntime().halt(137);
      }
    }
  }
}
