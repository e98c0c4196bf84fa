package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns commands into groups for the journal. It has no threads and does not wait: whoever drives
 * it gives it commands, takes the sealed group, lets the journal append it, and says how that went.
 * At most one group is on its way while the next one fills, and what the next one builds on is
 * thrown away with it when it fails.
 *
 * <p>For one thread at a time.
 */
final class Engine {
  private final Journal journal;
  private final Machines machines;
  private final Settings settings;
  private final InstantSource clock;
  private final Ids ids;
  private final Instances instances;
  private final Timetable timetable = new Timetable();
  private final Ledger ledger;
  private final int appendsAtOnce;

  /** Messages whose delivery waits somewhere in the engine, so that none is taken up twice. */
  private final Set<Long> delivering = new HashSet<>();

  private List<Slot> open = new ArrayList<>();
  private int openCommands;

  /** Commands that must be given to the engine once more, in order. */
  private final List<Ticket> again = new ArrayList<>();

  private boolean effectsAsked;

  Engine(Journal journal, Machines machines, Settings settings, InstantSource clock, Ids ids) {
    this.journal = journal;
    this.machines = machines;
    this.settings = settings;
    this.clock = clock;
    this.ids = ids;
    this.instances = new Instances(journal, machines, settings.cacheBytes());
    this.ledger = new Ledger(journal, machines);
    this.appendsAtOnce = journal.isShared() ? 2 : 1;
  }

  /** Learns from the store what is pending: timers and messages. */
  void recover() {
    if (!journal.isShared()) {
      journal.eachDue(due -> timetable.put(due.instance(), due.at()));
    }
    collectMail();
    effectsAsked = true;
  }

  /** Takes up every message that waits in the store. */
  void collectMail() {
    long after = 0;
    while (true) {
      List<MessageRow> page = journal.messages(after, 1_000);
      for (MessageRow message : page) {
        enqueue(message);
        after = message.number();
      }
      if (page.size() < 1_000) {
        return;
      }
    }
  }

  private void enqueue(MessageRow message) {
    if (delivering.add(message.number())) {
      again.add(new Ticket(new Command.Deliver(message)));
    }
  }

  /** How many groups may be on their way at a time. */
  int appendsAtOnce() {
    return appendsAtOnce;
  }

  boolean isFull() {
    return openCommands >= settings.groupSize();
  }

  boolean hasOpen() {
    return !open.isEmpty();
  }

  /** When the next timer falls due. */
  long nextDue() {
    return timetable.next();
  }

  /** Takes the commands that have to be given once more. */
  List<Ticket> takeAgain() {
    if (again.isEmpty()) {
      return List.of();
    }
    List<Ticket> taken = List.copyOf(again);
    again.clear();
    return taken;
  }

  boolean hasAgain() {
    return !again.isEmpty();
  }

  /** Whether effects were committed since this was last asked. */
  boolean takeEffectsAsked() {
    boolean asked = effectsAsked;
    effectsAsked = false;
    return asked;
  }

  /** Fires timers that are due, until the group is full. */
  void fireDue() {
    long now = clock.millis();
    while (timetable.next() <= now && !isFull()) {
      submit(new Ticket(new Command.Fire(timetable.first())));
    }
  }

  /** Works a command out and makes what it does a part of the open group. */
  void submit(Ticket ticket) {
    if (ticket.tries > settings.retries()) {
      answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.BUSY,
              "Expected to get a turn within %d tries, but others were always faster; try again."
                  .formatted(settings.retries())));
      return;
    }
    openCommands++;
    try {
      carryOut(ticket);
    } catch (RuntimeException e) {
      // Nothing of the command is in the group, for it is written down at the very end.
      open.forEach(slot -> slot.tickets.remove(ticket));
      if (ticket.isInternal() && e instanceof JournalException) {
        again.add(ticket);
      } else {
        ticket.fail(e);
      }
      throw e;
    }
  }

  private void carryOut(Ticket ticket) {
    switch (ticket.command) {
      case Command.Send send -> send(ticket, send);
      case Command.Start start -> start(ticket, start);
      case Command.Branch branch -> fork(ticket, branch);
      case Command.Fork _ -> throw new IllegalStateException("The door prepares forks.");
      case Command.Fire(long number) -> fire(ticket, number);
      case Command.Deliver(MessageRow message) -> deliver(ticket, message);
      case Command.Conclude conclude -> conclude(ticket, conclude);
      case Command.Cancel cancel -> cancel(ticket, cancel);
      case Command.Pause pause -> pause(ticket, pause);
      case Command.Resume resume -> resume(ticket, resume);
      case Command.Migrate migrate -> migrate(ticket, migrate);
    }
  }

  /** The open group, ready to be appended; null when there is none. */
  @Nullable Batch seal() {
    if (open.isEmpty()) {
      return null;
    }
    List<Slot> sealed = open;
    open = new ArrayList<>();
    openCommands = 0;
    List<Change> changes = new ArrayList<>(sealed.size());
    for (Slot slot : sealed) {
      Working working = slot.working;
      working.slot = null;
      if (slot.dirty) {
        working.row = Ledger.encoded(working.row, working.snapshot);
        slot.change.after(working.row);
        changes.add(slot.change);
      }
    }
    return new Batch(sealed, new Group(clock.millis(), changes));
  }

  /** The group is in the journal, but for what it lost. */
  void committed(Batch batch, Appended appended) {
    Set<Change> lost = appended.lost().isEmpty() ? Set.of() : new HashSet<>(appended.lost());
    for (Slot slot : batch.slots) {
      Working working = slot.working;
      working.pins--;
      if (lost.contains(slot.change)) {
        lost(slot);
        continue;
      }
      if (working.pins == 0) {
        working.answers.clear();
        release(working);
      }
      slot.change.delivered().forEach(delivering::remove);
      slot.change.messages().forEach(this::enqueue);
      effectsAsked |= !slot.change.effects().isEmpty();
    }
    instances.shrink();
  }

  /** Someone else was faster: what was built on the old state is thrown away and tried again. */
  private void lost(Slot slot) {
    slot.tickets.forEach(this::tryAgain);
    forget(slot);
  }

  private void tryAgain(Ticket ticket) {
    ticket.tries++;
    ticket.decided(null);
    again.add(ticket);
  }

  /**
   * The group was not written, or nobody knows. Whoever waits is told; what the engine does by
   * itself, and what was built on the group, is tried again.
   */
  void failed(Batch batch, JournalException failure) {
    for (Slot slot : batch.slots) {
      slot.working.pins--;
      for (Ticket ticket : slot.tickets) {
        if (ticket.isInternal()) {
          ticket.decided(null);
          again.add(ticket);
        } else {
          ticket.fail(failure);
        }
      }
      forget(slot);
    }
  }

  /** Throws away what is in memory of an instance, because the store has another truth. */
  private void forget(Slot slot) {
    Working working = slot.working;
    instances.drop(working);
    Slot next = working.slot;
    if (next != null) {
      open.remove(next);
      working.slot = null;
      next.tickets.forEach(this::tryAgain);
    }
    release(working);
    if (!journal.isShared()) {
      InstanceRow before = slot.before;
      timetable.put(working.row.number(), before == null ? InstanceRow.NEVER : before.due());
    }
  }

  /** Lets commands go on that waited for the instance. */
  private void release(Working working) {
    if (!working.deferred.isEmpty()) {
      again.addAll(working.deferred);
      working.deferred.clear();
    }
  }

  /**
   * Whether the instance is in a group on its way beside which others may be sent; then the command
   * waits for that group, because what it would build on is not there for another connection.
   */
  private boolean isDeferred(Ticket ticket, Working working) {
    boolean onItsWay = working.pins > (working.slot == null ? 0 : 1);
    if (appendsAtOnce > 1 && onItsWay) {
      working.deferred.add(ticket);
      return true;
    }
    return false;
  }

  // What follows works one command out.

  private void send(Ticket ticket, Command.Send send) {
    Working working = known(ticket, send.instance());
    if (working == null || isDeferred(ticket, working) || isRepeated(ticket, working, send.key())) {
      return;
    }
    Event event = Event.external(send.event(), send.data(), send.actor());
    Origin origin = new Origin("event", null, send.key());
    Rejection refusal = refusal(working, send);
    if (refusal != null) {
      refuse(ticket, working, origin, event, refusal);
      return;
    }
    long now = now(working);
    take(
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
    Rejection standing = standing(working);
    return standing != null
        ? standing
        : Admission.refusal(working.machine, send.event(), send.data(), send.actor());
  }

  /** Why the instance stands still, or null. */
  private static @Nullable Rejection standing(Working working) {
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

  private void start(Ticket ticket, Command.Start start) {
    PublishedChart machine = machines.find(start.machine());
    if (machine == null) {
      answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.UNKNOWN_MACHINE,
              "Expected a published machine, but there is no '%s'; there are %s."
                  .formatted(
                      start.machine(),
                      machines.all().stream().map(m -> m.published.name()).distinct().toList())));
      return;
    }
    String id = freeId(ticket, machine, start.id(), start.key());
    if (id == null) {
      return;
    }
    long now = clock.millis();
    Answer answer = Kernel.start(machine.chart, id, null, start.input(), now);
    Origin origin = new Origin("start", null, start.key());
    begin(ticket, machine, id, origin, start.actor(), answer, now);
  }

  private void fork(Ticket ticket, Command.Branch branch) {
    Command.Fork fork = branch.fork();
    PublishedChart machine = machines.get(branch.machine());
    String id = freeId(ticket, machine, fork.id(), fork.key());
    if (id != null) {
      long now = clock.millis();
      Origin origin = new Origin("fork", null, fork.key());
      begin(ticket, machine, id, origin, fork.actor(), Forks.step(branch, id, now), now);
    }
  }

  /** The id of a new instance; null when there is one already, and the ticket is answered. */
  private @Nullable String freeId(
      Ticket ticket, PublishedChart machine, @Nullable String given, @Nullable String key) {
    String name = machine.published.name();
    String id =
        given != null
            ? given
            : key != null ? Ids.ofKey(name, key) : ids.fresh(name, clock.millis());
    Working known = given == null && key == null ? null : instances.find(id);
    if (known == null) {
      return id;
    }
    if (!isRepeated(ticket, known, key)) {
      answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.INSTANCE_EXISTS,
              "Expected a new instance, but there is a '%s' already.".formatted(id)));
    }
    return null;
  }

  /** Brings an instance into being; a refused start leaves nothing behind. */
  private @Nullable Working begin(
      Ticket ticket,
      PublishedChart machine,
      String id,
      Origin origin,
      @Nullable Actor actor,
      Answer answer,
      long now) {
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
        accepted(ticket, working, origin.key());
        return working;
      }
    }
  }

  private void fire(Ticket ticket, long number) {
    Working working = instances.find(number);
    if (working == null || working.row.status() != InstanceRow.Status.LIVE) {
      timetable.put(number, InstanceRow.NEVER);
      forgetIfStale(working);
      return;
    }
    if (isDeferred(ticket, working)) {
      return;
    }
    long now = now(working);
    Timer timer = earliest(working.snapshot);
    if (timer == null || timer.due() > now) {
      timetable.put(number, timer == null ? InstanceRow.NEVER : timer.due());
      forgetIfStale(working);
      return;
    }
    Origin origin = new Origin("timer", timer.id(), null);
    Event event = timer.message().event();
    Answer answer = Kernel.fire(working.machine.chart, working.snapshot, timer.id(), now);
    take(ticket, working, origin, event, answer, now);
    if (ticket.reply() instanceof Reply.Rejected) {
      halt(working);
    }
  }

  /**
   * The store says that there is something to do, and the instance in memory that there is not: on
   * another node it may have gone on. It is read anew when the store says so again.
   */
  private void forgetIfStale(@Nullable Working working) {
    if (working != null && working.pins == 0 && journal.isShared()) {
      instances.drop(working);
    }
  }

  /** A timer that is refused halts the instance and marks it. */
  private void halt(Working working) {
    working.row = Ledger.standing(working.row, InstanceRow.Status.HALTED, InstanceRow.NEVER);
    timetable.put(working.row.number(), InstanceRow.NEVER);
  }

  private static @Nullable Timer earliest(Snapshot snapshot) {
    Timer earliest = null;
    for (Timer timer : snapshot.memory().timers()) {
      if (earliest == null || timer.due() < earliest.due()) {
        earliest = timer;
      }
    }
    return earliest;
  }

  private void deliver(Ticket ticket, MessageRow message) {
    if (ticket.tries > 0 && journal.message(message.number()) == null) {
      delivering.remove(message.number());
      return;
    }
    Mail mail = Mail.of(message);
    Working working = instances.find(message.to());
    if (working != null && isDeferred(ticket, working)) {
      return;
    }
    switch (mail) {
      case Mail.Birth birth -> birth(ticket, message, birth, working);
      case Mail.End() -> {
        if (working == null || working.row.status() == InstanceRow.Status.ENDED) {
          discard(ticket, message, working);
          return;
        }
        end(ticket, working, new Origin("message", message.number(), null), Actor.SYSTEM);
        delivered(ticket, working, message);
      }
      case Mail.Post(Event event) -> post(ticket, message, event, working);
    }
  }

  private void post(Ticket ticket, MessageRow message, Event event, @Nullable Working working) {
    if (working == null) {
      bounce(ticket, message, event.sendId(), "there is no instance '" + message.to() + "'");
      return;
    }
    if (standing(working) != null) {
      // It waits in the store until the instance goes on.
      delivering.remove(message.number());
      forgetIfStale(working);
      return;
    }
    long now = now(working);
    Answer answer = Kernel.step(working.machine.chart, working.snapshot, event, now);
    take(ticket, working, new Origin("message", message.number(), null), event, answer, now);
    delivered(ticket, working, message);
  }

  /** Takes the message out of the store together with what it did to the instance. */
  private void delivered(Ticket ticket, Working working, MessageRow message) {
    Slot slot = join(working, ticket);
    slot.change.delivered().add(message.number());
    slot.dirty = true;
  }

  private void birth(
      Ticket ticket, MessageRow message, Mail.Birth birth, @Nullable Working working) {
    if (working != null) {
      discard(ticket, message, working);
      return;
    }
    String reference = birth.machine();
    PublishedChart machine = reference == null ? null : machines.find(reference);
    String invokeId = Kernel.invokeId(message.from(), message.to());
    if (machine == null) {
      String why = birth.why();
      bounceInvoke(
          ticket,
          message,
          invokeId,
          why != null ? why : "no machine has the name '" + reference + "'");
      return;
    }
    long now = clock.millis();
    Answer answer = Kernel.start(machine.chart, message.to(), message.from(), birth.input(), now);
    if (answer instanceof Rejection rejection) {
      bounceInvoke(ticket, message, invokeId, rejection.message());
      return;
    }
    Origin origin = new Origin("start", message.number(), null);
    Working born = begin(ticket, machine, message.to(), origin, null, answer, now);
    if (born == null) {
      bounceInvoke(ticket, message, invokeId, "its start could not be written down");
    } else if (born.slot != null) {
      born.slot.change.delivered().add(message.number());
    }
  }

  private void bounce(Ticket ticket, MessageRow message, @Nullable String sendId, String why) {
    Event error =
        new Event("error.communication", Event.Kind.PLATFORM, why, null, sendId, null, null, null);
    tellSender(ticket, message, error);
  }

  private void bounceInvoke(Ticket ticket, MessageRow message, String invokeId, String why) {
    Event error =
        new Event(
            "error.communication", Event.Kind.PLATFORM, why, null, null, null, null, invokeId);
    tellSender(ticket, message, error);
  }

  /** Gives the sender the news that its message reached nobody, in place of the message. */
  private void tellSender(Ticket ticket, MessageRow message, Event error) {
    Working sender = instances.find(message.from());
    if (sender == null) {
      delivering.remove(message.number());
      return;
    }
    if (standing(sender) != null) {
      MessageRow later = ledger.message(message.from(), message.from(), new Mail.Post(error));
      delivered(ticket, sender, message);
      join(sender, ticket).change.messages().add(later);
      return;
    }
    long now = now(sender);
    Answer answer = Kernel.step(sender.machine.chart, sender.snapshot, error, now);
    take(ticket, sender, new Origin("message", message.number(), null), error, answer, now);
    delivered(ticket, sender, message);
  }

  /** Takes a message that has nothing left to do out of the store. */
  private void discard(Ticket ticket, MessageRow message, @Nullable Working recipient) {
    Working owner = recipient != null ? recipient : instances.find(message.from());
    if (owner == null) {
      delivering.remove(message.number());
      return;
    }
    delivered(ticket, owner, message);
  }

  private void conclude(Ticket ticket, Command.Conclude conclude) {
    EffectRow effect = conclude.effect();
    Working working = instances.find(effect.instance());
    if (working == null || isDeferred(ticket, working)) {
      return;
    }
    Event event = Ledger.result(effect, conclude.outcome());
    Origin origin = new Origin("effect", effect.key(), null);
    if (ticket.tries > 0 && !isOurs(effect)) {
      refuse(
          ticket,
          working,
          origin,
          event,
          Admission.rejection(
              Rejection.Code.LATE_RESULT,
              "Expected the result of effect '%s' in time, but it has ended or another has it."
                  .formatted(effect.key())));
      return;
    }
    if (standing(working) != null) {
      String id = working.row.id();
      MessageRow later = ledger.message(id, id, new Mail.Post(event));
      join(working, ticket).change.messages().add(later);
    } else {
      long now = now(working);
      Answer answer = Kernel.step(working.machine.chart, working.snapshot, event, now);
      take(ticket, working, origin, event, answer, now);
    }
    Slot slot = join(working, ticket);
    slot.change.ended().add(new Change.EffectEnd(effect.number(), effect.fence()));
    slot.dirty = true;
  }

  private boolean isOurs(EffectRow effect) {
    EffectRow now = journal.effect(effect.number());
    return now != null && now.fence() == effect.fence();
  }

  private void cancel(Ticket ticket, Command.Cancel cancel) {
    Working working = known(ticket, cancel.instance());
    if (working != null && !isRepeated(ticket, working, cancel.key())) {
      end(ticket, working, new Origin("cancel", null, cancel.key()), cancel.actor());
    }
  }

  private void end(Ticket ticket, Working working, Origin origin, Actor actor) {
    long now = now(working);
    Answer answer = Kernel.cancel(working.machine.chart, working.snapshot, now);
    Event event =
        new Event(Kernel.CANCEL, Event.Kind.PLATFORM, null, actor, null, null, null, null);
    if (answer instanceof Step step) {
      answer = Ledger.of(step, event);
    }
    take(ticket, working, origin, event, answer, now);
  }

  private void pause(Ticket ticket, Command.Pause pause) {
    Working working = known(ticket, pause.instance());
    if (working == null || isRepeated(ticket, working, pause.key())) {
      return;
    }
    Origin origin = new Origin("pause", null, pause.key());
    Event event = Ledger.control("(pause)", pause.actor());
    Rejection refusal =
        working.snapshot.done()
            ? ended(working, "pause")
            : working.row.status() == InstanceRow.Status.PAUSED ? standing(working) : null;
    if (refusal != null) {
      refuse(ticket, working, origin, event, refusal);
      return;
    }
    Slot slot = join(working, ticket);
    ledger.pause(slot, origin, event, pause.clocks(), now(working));
    timetable.put(working.row.number(), InstanceRow.NEVER);
    accepted(ticket, working, pause.key());
  }

  private void resume(Ticket ticket, Command.Resume resume) {
    Working working = known(ticket, resume.instance());
    if (working == null || isRepeated(ticket, working, resume.key())) {
      return;
    }
    Origin origin = new Origin("resume", null, resume.key());
    Event event = Ledger.control("(resume)", resume.actor());
    Rejection refusal =
        switch (working.row.status()) {
          case ENDED -> ended(working, "resume");
          case LIVE ->
              Admission.rejection(
                  Rejection.Code.NOT_PAUSED,
                  "Expected '%s' to stand still, but it runs.".formatted(working.row.id()));
          case PAUSED, HALTED -> null;
        };
    if (refusal != null) {
      refuse(ticket, working, origin, event, refusal);
      return;
    }
    Slot slot = join(working, ticket);
    ledger.resume(slot, origin, event, now(working));
    schedule(working);
    accepted(ticket, working, resume.key());
    // What came for it meanwhile waits in the store.
    mailWaits = true;
  }

  private void migrate(Ticket ticket, Command.Migrate migrate) {
    Working working = known(ticket, migrate.instance());
    if (working == null
        || isDeferred(ticket, working)
        || isRepeated(ticket, working, migrate.key())) {
      return;
    }
    PublishedChart before = working.machine;
    PublishedChart target = machines.find(before.published.name(), migrate.toVersion());
    Event event = Migrations.event(migrate);
    long now = now(working);
    long stopped = ledger.stoppedAt(working);
    Answer answer = Migrations.answer(working, target, migrate, event, stopped < 0 ? now : stopped);
    Origin origin = new Origin("migrate", null, migrate.key());
    if (target == null || !(answer instanceof Step step)) {
      take(ticket, working, origin, event, answer, now);
      return;
    }
    Slot slot = join(working, ticket);
    working.machine = target;
    try {
      ledger.step(slot, origin, null, step, now);
    } catch (RuntimeException e) {
      working.machine = before;
      throw e;
    }
    Migrations.unsearch(before, target, step.after(), slot.change);
    if (working.row.status() != InstanceRow.Status.LIVE) {
      working.row = Ledger.standing(working.row, working.row.status(), InstanceRow.NEVER);
    }
    schedule(working);
    accepted(ticket, working, migrate.key());
  }

  private boolean mailWaits;

  /** Whether messages in the store can be delivered now that could not before. */
  boolean takeMailWaits() {
    boolean waits = mailWaits;
    mailWaits = false;
    return waits;
  }

  private static Rejection ended(Working working, String doing) {
    return Admission.rejection(
        Rejection.Code.INSTANCE_FINAL,
        "Expected to %s '%s', but it ended in %s."
            .formatted(
                doing,
                working.row.id(),
                String.join(", ", working.snapshot.configuration().leaves())));
  }

  private @Nullable Working known(Ticket ticket, String id) {
    Working working = instances.find(id);
    if (working == null) {
      answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.UNKNOWN_INSTANCE,
              "Expected an instance, but there is no '%s'.".formatted(id)));
    }
    return working;
  }

  /** Whether the key was seen before; then the ticket gets the answer of that time. */
  private boolean isRepeated(Ticket ticket, Working working, @Nullable String key) {
    if (key == null) {
      return false;
    }
    Reply pending = working.answers.get(key);
    if (pending != null) {
      ticket.decided(pending);
      join(working, ticket);
      return true;
    }
    Set<String> keys = working.keys;
    if (keys == null) {
      List<String> all = journal.keys(working.row.number(), 256);
      keys = all == null ? null : new HashSet<>(all);
      working.keys = keys;
    }
    if (keys != null && !keys.contains(key)) {
      return false;
    }
    EntryRow entry = journal.keyed(working.row.number(), key);
    if (entry == null) {
      return false;
    }
    ticket.decided(Ledger.reply(entry, working.row.id()));
    ticket.complete();
    return true;
  }

  private void take(
      Ticket ticket, Working working, Origin origin, Event event, Answer answer, long now) {
    switch (answer) {
      case Rejection rejection -> refuse(ticket, working, origin, event, rejection);
      case Step step -> {
        Slot slot = join(working, ticket);
        try {
          ledger.step(slot, origin, working.snapshot, step, now);
        } catch (IllegalArgumentException e) {
          refuse(ticket, working, origin, event, unwritable(e));
          return;
        }
        schedule(working);
        accepted(ticket, working, origin.key());
      }
    }
  }

  private static Rejection unwritable(IllegalArgumentException e) {
    return Admission.rejection(
        Rejection.Code.EXPRESSION_FAILED,
        "Expected the step to compute values that JSON has. %s"
            .formatted(String.valueOf(e.getMessage())));
  }

  private void refuse(
      Ticket ticket, Working working, Origin origin, Event event, Rejection rejection) {
    Reply reply = new Reply.Rejected(rejection);
    ticket.decided(reply);
    if (working.row.refusals() >= settings.refusals()) {
      ticket.complete();
      return;
    }
    Slot slot = join(working, ticket);
    ledger.refusal(slot, origin, event, rejection, now(working));
    working.answered(origin.key(), reply);
  }

  private void accepted(Ticket ticket, Working working, @Nullable String key) {
    Reply reply = new Reply.Accepted(Ledger.receipt(working));
    ticket.decided(reply);
    working.answered(key, reply);
  }

  private static void answerNow(Ticket ticket, Rejection rejection) {
    ticket.decided(new Reply.Rejected(rejection));
    ticket.complete();
  }

  private void schedule(Working working) {
    if (!journal.isShared()) {
      timetable.put(working.row.number(), working.row.due());
    }
  }

  private Slot join(Working working, Ticket ticket) {
    Slot slot = working.slot;
    if (slot == null) {
      slot = new Slot(working, false);
      enter(slot);
    }
    if (slot.tickets.isEmpty() || slot.tickets.getLast() != ticket) {
      slot.tickets.add(ticket);
    }
    return slot;
  }

  private void join(Slot slot, Ticket ticket) {
    enter(slot);
    slot.tickets.add(ticket);
  }

  private void enter(Slot slot) {
    slot.working.slot = slot;
    slot.working.pins++;
    open.add(slot);
  }

  /** Time never runs backwards for an instance. */
  private long now(Working working) {
    return Math.max(clock.millis(), working.row.at());
  }
}
