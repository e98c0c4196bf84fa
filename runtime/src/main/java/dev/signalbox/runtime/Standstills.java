package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which machines stand still, as far as this node knows. That a machine does is an instance of
 * {@link OwnMachines#STANDSTILL}; here is what was read of those, so that a start asks no store.
 *
 * <p>Whoever writes alone reads it anew with every commit that changes it. Beside others it is read
 * again and again, so an instance may begin after its machine was paused elsewhere, until this node
 * has read it or because its commit was on its way. The engine pauses what it began in that time:
 * nothing that was committed before the pause was known escapes whoever paused the machine, who
 * goes over its instances afterwards.
 */
final class Standstills {
  private static final String STANDS = "STANDS";

  private final Journal journal;
  private final Machines machines;
  private Map<String, MachinePause> known = Map.of();

  Standstills(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /** The id of the instance that says whether the machine stands still. */
  static String id(String machine) {
    return OwnMachines.STANDSTILL + "-" + machine;
  }

  /** The machines that stand still, as the store has it. */
  static List<MachinePause> read(Journal journal, Machines machines) {
    List<MachinePause> paused = new ArrayList<>();
    long after = 0;
    List<InstanceRow> page;
    do {
      page =
          journal.query(
              Query.ALL.ofMachine(OwnMachines.STANDSTILL).in(STANDS).page(after, Query.MOST));
      for (InstanceRow row : page) {
        after = row.number();
        if (row.id().startsWith(id(""))) {
          paused.add(pause(journal, machines.view(row)));
        }
      }
    } while (page.size() == Query.MOST);
    return paused;
  }

  /** The row may have been changed past the runtime, and then a node must still begin its work. */
  private static MachinePause pause(Journal journal, Instance instance) {
    return new MachinePause(
        instance.id().substring(id("").length()),
        "running".equals(instance.context().get("clocks"))
            ? Command.Clocks.RUNNING
            : Command.Clocks.STOPPED,
        actor(journal, instance),
        instance.since());
  }

  /** Who is in the entry that the instance stands by. */
  private static Actor actor(Journal journal, Instance instance) {
    for (EntryRow entry : journal.history(instance.number(), Chain.STEPS, instance.sequence(), 1)) {
      try {
        if (Ledger.body(entry).get("event") instanceof Map<?, ?> event
            && event.get("actor") instanceof Map<?, ?> actor) {
          return Replay.actor(actor);
        }
      } catch (RuntimeException e) {
        // That the machine stands still counts, also where nobody can tell who wanted it.
        return Actor.SYSTEM;
      }
    }
    return Actor.SYSTEM;
  }

  /** Reads the store; whether a machine goes on that stood still. */
  boolean refresh() {
    List<MachinePause> read = read(journal, machines);
    if (read.isEmpty() && known.isEmpty()) {
      return false;
    }
    Map<String, MachinePause> now = new HashMap<>();
    read.forEach(pause -> now.put(pause.machine(), pause));
    boolean released = !now.keySet().containsAll(known.keySet());
    known = now;
    return released;
  }

  /** Whether all machines run. */
  boolean isEmpty() {
    return known.isEmpty();
  }

  /** How the machine stands still, or null. */
  @Nullable MachinePause of(PublishedChart machine) {
    return known.isEmpty() ? null : known.get(machine.published.name());
  }

  /** Why no instance of the machine may begin, or null. */
  @Nullable Rejection refusal(PublishedChart machine) {
    MachinePause pause = of(machine);
    return pause == null
        ? null
        : Admission.rejection(
            Rejection.Code.MACHINE_PAUSED,
            "Expected to start an instance of '%s', but '%s' paused the machine; resume it first."
                .formatted(pause.machine(), pause.actor().name()));
  }
}
