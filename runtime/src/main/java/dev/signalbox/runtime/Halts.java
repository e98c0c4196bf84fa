package dev.signalbox.runtime;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Snapshots;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What becomes of an instance that can't go on: it is halted and marked, in the store, so that no
 * node tries its timers again, and stays as it is until someone corrects it. Nothing that comes for
 * it is lost: messages stay in the store, and so does what its effects report.
 */
final class Halts {
  private static final System.Logger LOG = System.getLogger(Halts.class.getName());

  /** Of so many instances it is known that they were named; older ones may be named once more. */
  private static final int MOST_NAMED = 10_000;

  private final Workbench bench;
  private final Machines machines;
  private final Journal journal;
  private final Set<Long> named =
      Collections.newSetFromMap(
          new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
              return size() > MOST_NAMED;
            }
          });

  Halts(Workbench bench, Machines machines) {
    this.bench = bench;
    this.machines = machines;
    this.journal = bench.journal;
  }

  /** A timer that is refused, or can't be worked out, halts the instance and marks it. */
  void halt(Working working) {
    working.row = halted(working.row);
    bench.timetable.put(working.row.number(), InstanceRow.NEVER);
  }

  private static InstanceRow halted(InstanceRow row) {
    return row.standing(InstanceRow.Status.HALTED, InstanceRow.NEVER);
  }

  /**
   * Halts an instance whose row can't be read, and answers whoever wanted something of it. It is
   * named once.
   *
   * @return false when its row is another by now, so that it can be tried again
   */
  boolean onUnreadable(Ticket ticket, UnreadableRowException e) {
    InstanceRow row = journal.load(e.row().number());
    if (row == null || !Arrays.equals(row.snapshot(), e.row().snapshot())) {
      return false;
    }
    bench.timetable.put(row.number(), InstanceRow.NEVER);
    if (named.add(row.number())) {
      LOG.log(System.Logger.Level.ERROR, e.getMessage());
    }
    mark(ticket, row);
    if (!ticket.isInternal()) {
      Workbench.answerNow(
          ticket,
          Admission.rejection(Rejection.Code.INSTANCE_HALTED, String.valueOf(e.getMessage())));
    }
    return true;
  }

  private void mark(Ticket ticket, InstanceRow row) {
    boolean runs = row.status() == InstanceRow.Status.LIVE || row.due() < InstanceRow.NEVER;
    boolean reports = ticket.command instanceof Command.Conclude;
    if (!runs && !reports) {
      return;
    }
    Slot slot = part(row);
    if (runs) {
      slot.working.row =
          row.status() == InstanceRow.Status.LIVE
              ? halted(row)
              : row.standing(row.status(), InstanceRow.NEVER);
      slot.dirty = true;
    }
    if (ticket.command instanceof Command.Conclude(EffectRow effect, Outcome outcome)) {
      keep(slot, effect, outcome);
      slot.tickets.add(ticket);
    }
  }

  /**
   * The instance's part of the open group. Where the store does not have its machine, another
   * stands for it: nothing is done but to mark the row.
   */
  private Slot part(InstanceRow row) {
    Slot open = bench.opened(row.number());
    if (open != null) {
      return open;
    }
    PublishedChart known = machines.find(row.machine());
    PublishedChart machine = known != null ? known : machines.own(OwnMachines.STANDSTILL);
    Snapshot nothing = Snapshots.fromValue(machine.chart, Map.of("instance", row.id()));
    Slot slot = new Slot(new Working(machine, row, nothing), false);
    // What is tried again when this is not written; whoever asked has an answer by then.
    bench.join(slot, new Ticket(new Command.Fire(row.number())));
    return slot;
  }

  /** Lets what an effect reports wait in the store until the instance goes on. */
  private void keep(Slot slot, EffectRow effect, Outcome outcome) {
    InstanceRow row = slot.working.row;
    Seal seal = machines.seals.find(row.number());
    boolean personal = machines.find(row.machine()) == null || slot.working.machine.personal;
    if (seal == null && (personal || Seal.isSealed(row.snapshot()))) {
      // It must not be written in the clear; the effect is reported on again.
      return;
    }
    Event event = Ledger.result(effect, outcome);
    Mail mail = Mail.result(event, effect.during(), row.sequence());
    slot.change.messages().add(bench.ledger.messages.message(row.id(), seal, row.id(), mail));
    slot.change.ended().add(new Change.EffectEnd(effect.number(), effect.fence()));
    slot.dirty = true;
  }
}
