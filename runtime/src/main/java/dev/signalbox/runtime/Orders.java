package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Migration;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is asked from outside: starts, events, and what people do to an instance as a whole. */
final class Orders {
  private final Workbench bench;
  private final Machines machines;
  private final NewestMachines newest;
  private final Ids ids;
  private final Ledger ledger;
  private final Instances instances;
  private final InstantSource clock;
  private final Standstills standstills;
  private boolean mailWaits;

  Orders(
      Workbench bench, Machines machines, NewestMachines newest, Ids ids, Standstills standstills) {
    this.bench = bench;
    this.newest = newest;
    this.standstills = standstills;
    this.machines = machines;
    this.ids = ids;
    this.ledger = bench.ledger;
    this.instances = bench.instances;
    this.clock = bench.clock;
  }

  void send(Ticket ticket, Command.Send send) {
    Working working = bench.known(ticket, send.instance());
    Event event = Event.external(send.event(), send.data(), send.actor());
    if (working == null
        || bench.isDeferred(ticket, working)
        || bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("event");
    Rejection refusal = machines.shipped.changeRefusal(working.machine, send.actor(), ticket);
    refusal = refusal == null ? refusal(working, send) : refusal;
    if (refusal != null) {
      bench.refuse(ticket, working, origin, event, refusal);
      return;
    }
    long now = bench.now(working);
    bench.take(
        ticket,
        working,
        origin,
        event,
        Kernel.step(working.machine.chart, working.snapshot, event, now),
        now);
  }

  private static @Nullable Rejection refusal(Working working, Command.Send send) {
    Long expected = send.expectedSequence();
    if (expected != null && expected != working.row.sequence()) {
      return Admission.rejection(
          Rejection.Code.STALE_SEQUENCE,
          "Expected '%s' at sequence %d, but it is at %d; read it again and decide anew."
              .formatted(working.row.id(), expected, working.row.sequence()));
    }
    Rejection standing = Workbench.standing(working);
    return standing != null
        ? standing
        : Admission.refusal(
            working, send.event(), send.data(), new Environment.Sender.Caller(send.actor()));
  }

  void start(Ticket ticket, Command.Start start) {
    PublishedChart machine = newest.find(start.machine(), ticket);
    if (machine == null) {
      Workbench.answerNow(ticket, machines.unknown(start.machine()));
      return;
    }
    String id = newId(machine, start.id(), ticket.use);
    if (isKnown(ticket, id)) {
      return;
    }
    long now = clock.millis();
    Answer answer = machines.shipped.startRefusal(machine, start.id(), start.actor(), ticket);
    if (answer == null) {
      answer = standstills.refusal(machine);
    }
    if (answer == null) {
      answer = Kernel.start(machine.chart, id, null, start.input(), now);
    }
    Origin origin = ticket.origin("start");
    Working _ = begin(ticket, machine, id, origin, start.actor(), answer, now, false);
  }

  void fork(Ticket ticket, Command.Branch branch) {
    Command.Fork fork = branch.fork();
    PublishedChart machine = machines.get(branch.machine());
    String id = newId(machine, fork.id(), ticket.use);
    if (!isKnown(ticket, id)) {
      long now = clock.millis();
      Origin origin = ticket.origin("fork");
      Answer answer = machines.shipped.copyRefusal(machine, fork.actor(), ticket);
      if (answer == null) {
        answer = machines.shipped.startRefusal(machine, fork.id(), fork.actor(), ticket);
      }
      if (answer == null) {
        answer = standstills.refusal(machine);
      }
      Working begun =
          begin(
              ticket,
              machine,
              id,
              origin,
              fork.actor(),
              answer == null ? Forks.step(branch, id, now) : answer,
              now,
              branch.sealed());
      if (begun != null && begun.slot != null) {
        begun.slot.change.search().put(Forks.OF, fork.instance());
      }
    }
  }

  private String newId(PublishedChart machine, @Nullable String given, @Nullable KeyUse use) {
    if (given != null) {
      return given;
    }
    String name = machine.published.name();
    return use != null ? Ids.ofKey(name, use.actor(), use.key()) : ids.fresh(name, clock.millis());
  }

  /**
   * Whether there is an instance of that id, as far as memory knows; then the ticket is answered.
   * The store is asked at the second try: until then it is taken for granted that the id is free,
   * which it nearly always is. If it is not, the store refuses the second instance of that id, and
   * the command comes back together with everything that was built on it.
   */
  private boolean isKnown(Ticket ticket, String id) {
    Working known = ticket.tries == 0 ? instances.inMemory(id) : instances.find(id);
    if (known == null) {
      return false;
    }
    if (bench.isDeferred(ticket, known)) {
      return true;
    }
    AnsweredKeys.Earlier earlier = bench.keys.earlier(ticket.use, known, null);
    if (earlier instanceof AnsweredKeys.Earlier.Answered(Reply reply)) {
      bench.answerWith(ticket, known, reply);
      return true;
    }
    Rejection exists =
        earlier instanceof AnsweredKeys.Earlier.Taken(Rejection taken)
            ? taken
            : Admission.rejection(
                Rejection.Code.INSTANCE_EXISTS,
                "Expected a new instance, but there is a '%s' already.".formatted(id));
    // Where it is not durable yet it may be one that the store refuses, and this not the answer.
    bench.answerWith(ticket, known, new Reply.Rejected(exists));
    return true;
  }

  private @Nullable Working begin(
      Ticket ticket,
      PublishedChart machine,
      String id,
      Origin origin,
      Actor actor,
      Answer answer,
      long now,
      boolean sealed) {
    if (answer instanceof Rejection && ticket.tries == 0) {
      // It is answered at once, so the store has to be asked: a key gets the answer it got before.
      ticket.tries++;
      if (isKnown(ticket, id)) {
        return null;
      }
    }
    return bench.begin(ticket, machine, id, origin, actor, answer, now, sealed);
  }

  void cancel(Ticket ticket, Command.Cancel cancel) {
    Working working = bench.known(ticket, cancel.instance());
    Event event = Workbench.cancelling(cancel.actor(), cancel.reason());
    if (working != null
        && !bench.isDeferred(ticket, working)
        && !bench.isRepeated(ticket, working, event)) {
      Rejection refusal = machines.shipped.changeRefusal(working.machine, cancel.actor(), ticket);
      if (refusal == null) {
        bench.end(ticket, working, ticket.origin("cancel"), cancel.actor(), cancel.reason());
      } else {
        bench.refuse(ticket, working, ticket.origin("cancel"), event, refusal);
      }
    }
  }

  void pause(Ticket ticket, Command.Pause pause) {
    Working working = bench.known(ticket, pause.instance());
    Event event = Ledger.control("(pause)", pause.actor());
    if (working == null
        || bench.isDeferred(ticket, working)
        || bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("pause");
    Rejection refusal =
        working.snapshot.done()
            ? Workbench.ended(working, "pause")
            : working.row.status() == InstanceRow.Status.PAUSED
                ? Workbench.standing(working)
                : null;
    if (refusal != null) {
      if (!ticket.isInternal()) {
        bench.refuse(ticket, working, origin, event, refusal);
      }
      return;
    }
    Slot slot = bench.join(working, ticket);
    ledger.pause(slot, origin, event, pause.clocks(), bench.now(working));
    bench.timetable.put(working.row.number(), InstanceRow.NEVER);
    bench.accepted(ticket, working);
  }

  void resume(Ticket ticket, Command.Resume resume) {
    Working working = bench.known(ticket, resume.instance());
    Event event = Ledger.control("(resume)", resume.actor());
    if (working == null
        || bench.isDeferred(ticket, working)
        || bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("resume");
    Rejection refusal =
        switch (working.row.status()) {
          case ENDED -> Workbench.ended(working, "resume");
          case LIVE ->
              Admission.rejection(
                  Rejection.Code.NOT_PAUSED,
                  "Expected '%s' to stand still, but it runs.".formatted(working.row.id()));
          case PAUSED, HALTED -> null;
        };
    if (refusal != null) {
      bench.refuse(ticket, working, origin, event, refusal);
      return;
    }
    long _ = ledger.stoppedAt(working);
    Slot slot = bench.join(working, ticket);
    ledger.resume(slot, origin, event, bench.now(working));
    bench.schedule(working);
    bench.accepted(ticket, working);
    // What came for it meanwhile waits in the store.
    mailWaits = true;
  }

  void migrate(Ticket ticket, Command.Migrate migrate) {
    Working working = bench.known(ticket, migrate.instance());
    if (working == null
        || bench.isDeferred(ticket, working)
        || bench.isRepeated(ticket, working, Migrations.event(migrate, null))) {
      return;
    }
    PublishedChart before = working.machine;
    PublishedChart target = machines.find(before.published.name(), migrate.toVersion());
    Origin origin = ticket.origin("migrate");
    Rejection refusal = machines.shipped.copyRefusal(before, migrate.actor(), ticket);
    refusal = refusal == null ? Migrations.refusal(working, target, migrate) : refusal;
    if (target == null || refusal != null) {
      bench.refuse(
          ticket,
          working,
          origin,
          Migrations.event(migrate, null),
          Objects.requireNonNull(refusal));
      return;
    }
    if (working.pins > 0 && Migrations.asksThePast(before, target, migrate.states())) {
      // Its past is read from the store, so all of it has to be there.
      bench.defer(ticket, working);
      return;
    }
    Map<String, Object> hindsight;
    try {
      hindsight =
          Migrations.hindsight(
              bench.journal, machines, working.row, before, target, migrate.states());
    } catch (RejectedException e) {
      bench.refuse(ticket, working, origin, Migrations.event(migrate, null), e.rejection());
      return;
    }
    Event event = Migrations.event(migrate, hindsight);
    long now = bench.now(working);
    long stopped = ledger.stoppedAt(working);
    Answer answer =
        Migration.migrate(
            before.chart,
            target.chart,
            working.snapshot,
            migrate.states(),
            hindsight,
            event,
            stopped < 0 ? now : stopped);
    if (!(answer instanceof Step step)) {
      bench.take(ticket, working, origin, event, answer, now);
      return;
    }
    Slot slot = bench.join(working, ticket);
    if (target.personal && working.seal == null && !working.erased) {
      machines.seals.adopt(working);
    }
    working.machine = target;
    ledger.step(slot, origin, null, step, now);
    Migrations.unsearch(before, target, step.after(), slot.change);
    if (working.row.status() != InstanceRow.Status.LIVE) {
      working.row = working.row.standing(working.row.status(), InstanceRow.NEVER);
    }
    bench.schedule(working);
    bench.accepted(ticket, working);
  }

  void erase(Ticket ticket, Command.Erase erase) {
    Working working = bench.known(ticket, erase.instance());
    if (working == null) {
      return;
    }
    if (working.pins > 0) {
      // What it still has to do shows in the store once everything about it is there.
      bench.defer(ticket, working);
      return;
    }
    Event event = Ledger.control("(erase)", erase.actor());
    if (bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("erase");
    Rejection refusal = Erasing.refusal(working, bench.journal);
    if (refusal != null) {
      bench.refuse(ticket, working, origin, event, refusal);
      return;
    }
    // First of all, so that whoever opens the store after a crash knows where to look.
    bench.journal.condemnKeys(List.of(working.row.number()));
    Slot slot = bench.join(working, ticket);
    ledger.erase(slot, origin, event, bench.now(working));
    bench.accepted(ticket, working);
  }

  /**
   * Puts what the journal says in the place of what the store has. What is in memory is not asked,
   * for it was read from there.
   */
  void restore(Ticket ticket, Command.Restore restore) {
    Command.Correct correct = restore.correct();
    Working known = instances.inMemory(correct.instance());
    if (known != null && (known.pins > 0 || known.slot != null)) {
      bench.defer(ticket, known);
      return;
    }
    InstanceRow row = bench.journal.load(restore.number());
    if (row == null || !Arrays.equals(row.head(), restore.head())) {
      Workbench.answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.STALE_SEQUENCE,
              "Expected '%s' as its journal left it, but it has moved on; look again."
                  .formatted(correct.instance())));
      return;
    }
    if (known != null) {
      instances.drop(known);
    }
    Working working = new Working(machines.get(restore.machine()), row, restore.snapshot());
    working.seal = machines.seals.ofDoubtful(row);
    instances.add(working);
    Event event = Corrections.event(correct);
    if (bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("correct");
    Slot slot = bench.join(working, ticket);
    if (row.status() == InstanceRow.Status.HALTED && !machines.view(row).isReadable()) {
      // It was halted for that.
      working.row = row.standing(InstanceRow.Status.LIVE, InstanceRow.NEVER);
    }
    ledger.restore(slot, origin, event, restore, bench.now(working));
    bench.schedule(working);
    bench.accepted(ticket, working);
    mailWaits = true;
  }

  void giveUp(Ticket ticket, Command.GiveUp giveUp) {
    Working working = bench.known(ticket, giveUp.instance());
    Event event = Corrections.lost(giveUp);
    if (working == null
        || bench.isDeferred(ticket, working)
        || bench.isRepeated(ticket, working, event)) {
      return;
    }
    Origin origin = ticket.origin("effect");
    Rejection refusal = Workbench.standing(working);
    if (refusal == null) {
      refusal = Corrections.refusal(giveUp, working);
    }
    if (refusal != null) {
      bench.refuse(ticket, working, origin, event, refusal);
      return;
    }
    long now = bench.now(working);
    bench.take(
        ticket,
        working,
        origin,
        event,
        Kernel.step(working.machine.chart, working.snapshot, event, now),
        now);
  }

  /** Whether messages in the store can be delivered now that could not before. */
  boolean mailWaits() {
    return mailWaits;
  }

  /** Messages in the store can be delivered that could not before. */
  void mailMayGo() {
    mailWaits = true;
  }

  void mailIsCollected() {
    mailWaits = false;
  }
}
