package dev.signalbox.runtime;

import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Instances that were begun under a key when an id was made of the machine and the key alone. Who
 * repeats such a start gets its answer, whoever it is. A store that was empty when it was opened
 * has none, so nothing is read there.
 */
final class OldKeys {
  private final Journal journal;
  private final Machines machines;
  private final boolean any;

  OldKeys(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
    this.any = journal.end() > 0;
  }

  /** The command with the id that was made of its key in those days, if it was given then. */
  Command prepared(Command command) {
    return switch (command) {
      case Command.Start start when start.id() == null -> {
        String id = id(KeyUse.name(start.machine()), start.key());
        yield id == null
            ? start
            : new Command.Start(
                start.machine(), id, start.input(), start.actor(), start.key(), start.trace());
      }
      case Command.Branch branch when branch.fork().id() == null -> {
        Command.Fork fork = branch.fork();
        String id = id(machines.get(branch.machine()).published.name(), fork.key());
        yield id == null
            ? branch
            : new Command.Branch(
                new Command.Fork(fork.instance(), fork.sequence(), id, fork.actor(), fork.key()),
                branch.machine(),
                branch.snapshot(),
                branch.left(),
                branch.hash(),
                branch.sealed());
      }
      default -> command;
    };
  }

  /** The id of the instance that was begun under the key in those days, or null. */
  private @Nullable String id(String machine, @Nullable String key) {
    if (!any || key == null) {
      return null;
    }
    String plain = ServiceKey.without(key);
    String id = Ids.ofKey(machine, plain);
    InstanceRow row = journal.load(id);
    if (row == null) {
      return null;
    }
    for (EntryRow entry : journal.allKeyed(row.number(), plain)) {
      if (entry.sequence() == 1 && Ledger.body(entry).get("command") == null) {
        return id;
      }
    }
    return null;
  }
}
