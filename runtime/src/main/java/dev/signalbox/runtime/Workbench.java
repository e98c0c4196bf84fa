package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where commands are worked out: the instances in memory, and the group that is open. What every
 * command needs is here; what each of them means is in {@link Orders} and {@link Deliveries}.
 */
final class Workbench {
  final Journal journal;
  final Instances instances;
  final Ledger ledger;
  final Timetable timetable = new Timetable();
  final Settings settings;
  final InstantSource clock;
  final AnsweredKeys keys;
  private final Machines machines;

  /** How many groups may be on their way at a time. */
  final int appendsAtOnce;

  /** Whether other nodes write too; asked once, for what has begun must not fail over it. */
  final boolean shared;

  private List<Slot> open = new ArrayList<>();
  private int openCommands;

  /** What the command that is worked out has touched, as it was. */
  private final List<Before> before = new ArrayList<>(1);

  /** Commands that wait for an instance in a group on its way. */
  private int deferred;

  /** Instances at which others were faster again and again, and a turn with them is wanted. */
  private final Deque<Working> wanted = new ArrayDeque<>(0);

  Workbench(Journal journal, Machines machines, Settings settings, InstantSource clock) {
    this.journal = journal;
    this.machines = machines;
    this.settings = settings;
    this.clock = clock;
    this.instances = new Instances(journal, machines, settings.cacheBytes());
    this.ledger = new Ledger(journal, machines);
    this.keys = new AnsweredKeys(journal);
    this.shared = journal.isShared();
    this.appendsAtOnce = shared ? 2 : 1;
  }

  /** Begins with a command that is about to be worked out. */
  void begin() {
    openCommands++;
    before.clear();
  }

  /** Undoes what the command did before it failed. */
  void undo(Ticket ticket) {
    for (Before each : before) {
      each.restore();
      schedule(each.working());
    }
    before.clear();
    withdraw(ticket);
  }

  /** Takes a command out of the open group that has nothing in it yet. */
  void withdraw(Ticket ticket) {
    open.forEach(slot -> slot.tickets.remove(ticket));
  }

  /** Takes an instance's part out of the open group. */
  void withdraw(Slot slot) {
    open.remove(slot);
    slot.working.slot = null;
  }

  /** Closes the open group and begins the next. */
  List<Slot> close() {
    List<Slot> closed = open;
    open = new ArrayList<>();
    openCommands = 0;
    return closed;
  }

  /**
   * Whether the open group has as many commands as it may, or as many wait for groups on their way
   * as may wait: then whoever comes waits in the queue, which does not grow.
   */
  boolean isFull() {
    return openCommands >= settings.groupSize() || deferred >= settings.queue();
  }

  /** How many instances the open group has a part of. */
  int openSize() {
    return open.size();
  }

  /** The instance's part of the open group, or null when it has none. */
  @Nullable Slot opened(long number) {
    for (Slot slot : open) {
      if (slot.working.row.number() == number) {
        return slot;
      }
    }
    return null;
  }

  /** Whether the open group has anything in it. */
  boolean hasOpen() {
    return !open.isEmpty();
  }

  /**
   * Whether the instance is in a group on its way beside which others may be sent; then the command
   * waits for that group, because what it would build on is not there for another connection.
   */
  boolean isDeferred(Ticket ticket, Working working) {
    if (ticket.tries >= settings.races() && !ticket.inTurn && appendsAtOnce > 1) {
      want(working);
    }
    boolean onItsWay = working.pins > (working.slot == null ? 0 : 1);
    if (appendsAtOnce > 1 && onItsWay) {
      defer(ticket, working);
      return true;
    }
    return false;
  }

  /** Lets a command wait until the groups that the instance is in are on the disk. */
  void defer(Ticket ticket, Working working) {
    boolean fires = ticket.command instanceof Command.Fire;
    // Whatever is due is said again and again; one turn is enough.
    if (!fires || working.deferred.stream().noneMatch(t -> t.command instanceof Command.Fire)) {
      working.deferred.add(ticket);
      deferred++;
    }
  }

  /** Wishes for a turn with the instance; what comes for it waits until then. */
  private void want(Working working) {
    if (!working.wanted) {
      working.wanted = true;
      working.pins++;
      wanted.add(working);
    }
  }

  /** Whether a turn with an instance is wanted. */
  boolean isWanting() {
    return !wanted.isEmpty();
  }

  /** The instance with which a turn is wanted for longest, or null. */
  @Nullable Working takeWanted() {
    return wanted.poll();
  }

  /** The turn has come, or won't: gives the commands that waited for it, in order. */
  List<Ticket> release(Working working) {
    if (working.wanted) {
      working.wanted = false;
      working.pins--;
      if (working.slot == null) {
        // What is in the store now is newer than what was read before the turn.
        instances.drop(working);
      }
    }
    return takeDeferred(working);
  }

  /** Takes the commands that waited for the instance. */
  List<Ticket> takeDeferred(Working working) {
    if (working.deferred.isEmpty()) {
      return List.of();
    }
    List<Ticket> taken = List.copyOf(working.deferred);
    working.deferred.clear();
    deferred -= taken.size();
    return taken;
  }

  /** Why the instance stands still, or null. */
  static @Nullable Rejection standing(Working working) {
    return switch (working.row.status()) {
      case LIVE, ENDED -> null;
      case PAUSED ->
          Admission.rejection(
              Rejection.Code.INSTANCE_PAUSED,
              "Expected '%s' to run, but it is paused; resume it first."
                  .formatted(working.row.id()));
      case HALTED ->
          Admission.rejection(
              Rejection.Code.INSTANCE_HALTED,
              "Expected '%s' to run, but one of its timers was refused; resume or cancel it."
                  .formatted(working.row.id()));
    };
  }

  static Rejection ended(Working working, String doing) {
    return Admission.rejection(
        Rejection.Code.INSTANCE_FINAL,
        "Expected to %s '%s', but it ended in %s."
            .formatted(
                doing,
                working.row.id(),
                String.join(", ", working.snapshot.configuration().leaves())));
  }

  @Nullable Working known(Ticket ticket, String id) {
    Working working = instances.find(id);
    if (working == null) {
      answerNow(ticket, Admission.unknownInstance(id));
    }
    return working;
  }

  /**
   * Whether the actor used the key before; then the ticket gets the answer of that time, and where
   * it asked for something else, a refusal.
   */
  boolean isRepeated(Ticket ticket, Working working, Event event) {
    switch (keys.earlier(ticket.use, working, event.name())) {
      case null -> {
        return false;
      }
      case AnsweredKeys.Earlier.Answered(Reply reply) -> answerWith(ticket, working, reply);
      case AnsweredKeys.Earlier.Taken(Rejection taken) ->
          refuse(ticket, working, ticket.origin("refusal"), event, taken);
    }
    return true;
  }

  /** Answers as soon as everything is durable that the answer depends on. */
  void answerWith(Ticket ticket, Working working, Reply reply) {
    ticket.decided(reply);
    if (working.pins > 0) {
      join(working, ticket);
    } else {
      ticket.complete();
    }
  }

  /**
   * Brings an instance into being; a refused start leaves nothing behind.
   *
   * @param sealed whether it begins with what another sealed, and so is sealed too
   */
  @Nullable Working begin(
      Ticket ticket,
      PublishedChart machine,
      String id,
      Origin origin,
      @Nullable Actor actor,
      Answer answer,
      long now,
      boolean sealed) {
    switch (answer) {
      case Rejection rejection -> {
        answerNow(ticket, rejection);
        return null;
      }
      case Step step -> {
        Event event = step.event();
        Step started =
            Ledger.of(
                step,
                new Event(event.name(), event.kind(), event.data(), actor, null, null, null, null));
        InstanceRow row = ledger.blank(machine, id, step.after().parent(), journal.reserve(1));
        Working working = Working.created(machine, row, step.after());
        if (machine.personal || sealed) {
          machines.seals.begin(working);
        }
        Slot slot = new Slot(working, true);
        try {
          ledger.step(slot, origin, null, started, now);
        } catch (IllegalArgumentException e) {
          answerNow(ticket, unwritable(e));
          return null;
        }
        instances.add(working);
        join(slot, ticket);
        schedule(working);
        accepted(ticket, working);
        return working;
      }
    }
  }

  void take(Ticket ticket, Working working, Origin origin, Event event, Answer answer, long now) {
    switch (answer) {
      case Rejection rejection -> refuse(ticket, working, origin, event, rejection);
      case Step step -> {
        Slot slot = join(working, ticket);
        long due = working.row.due();
        try {
          ledger.step(slot, origin, working.snapshot, step, now);
        } catch (IllegalArgumentException e) {
          refuse(ticket, working, origin, event, unwritable(e));
          return;
        }
        if (working.row.due() != due) {
          schedule(working);
        }
        accepted(ticket, working);
      }
    }
  }

  /** The event as which a refusal tells that somebody wanted to end an instance. */
  static Event cancelling(Actor actor, @Nullable String reason) {
    return new Event(
        Kernel.CANCEL,
        Event.Kind.PLATFORM,
        reason == null ? null : Map.of("reason", reason),
        actor,
        null,
        null,
        null,
        null);
  }

  void end(Ticket ticket, Working working, Origin origin, Actor actor, @Nullable String reason) {
    long now = now(working);
    Answer answer = Kernel.cancel(working.machine.chart, working.snapshot, now);
    Map<String, Object> data = new LinkedHashMap<>();
    if (reason != null) {
      data.put("reason", reason);
    }
    if (answer instanceof Step step && Kernel.isWithoutExits(step.event().data())) {
      data.put("without_exits", true);
    }
    Event event =
        new Event(
            Kernel.CANCEL,
            Event.Kind.PLATFORM,
            data.isEmpty() ? null : data,
            actor,
            null,
            null,
            null,
            null);
    if (answer instanceof Step step) {
      answer = Ledger.of(step, event);
    }
    take(ticket, working, origin, event, answer, now);
  }

  static Rejection unwritable(IllegalArgumentException e) {
    return Admission.rejection(
        Rejection.Code.EXPRESSION_FAILED,
        "Expected the step to compute values that JSON has. %s"
            .formatted(String.valueOf(e.getMessage())));
  }

  void refuse(Ticket ticket, Working working, Origin origin, Event event, Rejection rejection) {
    Reply reply = new Reply.Rejected(rejection);
    ticket.decided(reply);
    if (working.row.refusals() >= settings.refusals()) {
      ticket.complete();
      return;
    }
    Slot slot = join(working, ticket);
    ledger.refusal(slot, origin, event, rejection, now(working));
    if (AnsweredKeys.isTakenBy(rejection)) {
      working.answered(origin.use(), reply);
    }
  }

  void accepted(Ticket ticket, Working working) {
    Reply reply = new Reply.Accepted(Ledger.receipt(working));
    ticket.decided(reply);
    working.answered(ticket.use, reply);
  }

  static void answerNow(Ticket ticket, Rejection rejection) {
    ticket.decided(new Reply.Rejected(rejection));
    ticket.complete();
  }

  void schedule(Working working) {
    if (!shared) {
      timetable.put(working.row.number(), working.row.due());
    }
  }

  Slot join(Working working, Ticket ticket) {
    Slot slot = working.slot;
    if (slot == null) {
      slot = new Slot(working, false);
      enter(slot);
    }
    if (slot.tickets.isEmpty() || slot.tickets.getLast() != ticket) {
      slot.tickets.add(ticket);
      before.add(new Before(slot));
    }
    return slot;
  }

  void join(Slot slot, Ticket ticket) {
    enter(slot);
    slot.tickets.add(ticket);
  }

  private void enter(Slot slot) {
    slot.working.slot = slot;
    slot.working.pins++;
    open.add(slot);
  }

  /** Time never runs backwards for an instance. */
  long now(Working working) {
    return Math.max(clock.millis(), working.row.at());
  }
}
