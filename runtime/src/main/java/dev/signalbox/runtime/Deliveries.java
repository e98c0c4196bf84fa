package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Timer;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the engine does by itself: timers that are due, messages, and the ends of effects. */
final class Deliveries {
  private static final int PAGE = 1_000;

  /** How many instances may be below one another, so that none invokes its like for ever. */
  static final int MOST_LEVELS = 32;

  private final Workbench bench;
  private final Machines machines;
  private final NewestMachines newest;
  private final Journal journal;
  private final Messages messages;
  private final Instances instances;
  private final InstantSource clock;
  private final Standstills standstills;
  private final Halts halts;

  /** Messages whose delivery waits somewhere in the engine, so that none is taken up twice. */
  private final Set<Long> delivering = new HashSet<>();

  /** Messages in the store that wait for a machine to go on, or for a birth that does. */
  private final Set<Long> waiting = new HashSet<>();

  /** Of those, the births, by who is to be born. */
  private final Map<String, Long> births = new HashMap<>();

  Deliveries(
      Workbench bench,
      Machines machines,
      NewestMachines newest,
      Standstills standstills,
      Halts halts) {
    this.bench = bench;
    this.newest = newest;
    this.standstills = standstills;
    this.halts = halts;
    this.machines = machines;
    this.journal = bench.journal;
    this.messages = bench.ledger.messages;
    this.instances = bench.instances;
    this.clock = bench.clock;
  }

  /** Whether the delivery is new; it is taken up once. */
  boolean takeUp(MessageRow message) {
    return !waiting.contains(message.number()) && delivering.add(message.number());
  }

  /** Whether it waits in the store for something else than its recipient. */
  boolean isSetAside(MessageRow message) {
    return waiting.contains(message.number());
  }

  /** What waits for something else than its recipient is looked at again. */
  void lookAgain() {
    waiting.clear();
    births.clear();
  }

  /** The store says that the recipient goes on; if memory says that it does not, it is stale. */
  void forgetIfStanding(MessageRow message) {
    Working known = instances.inMemory(message.to());
    if (known != null && Workbench.standing(known) != null && message.isPatient()) {
      forgetIfStale(known);
    }
  }

  /** The message stays in the store, and is not looked at until something else has changed. */
  private void setAside(MessageRow message) {
    delivering.remove(message.number());
    waiting.add(message.number());
  }

  /** The message is out of the store. */
  void done(long message) {
    delivering.remove(message);
  }

  void fire(Ticket ticket, long number) {
    Working working = instances.find(number);
    if (working == null || working.row.status() != InstanceRow.Status.LIVE) {
      next(ticket, number, working, InstanceRow.NEVER);
      return;
    }
    if (bench.isDeferred(ticket, working)) {
      return;
    }
    long now = bench.now(working);
    Timer timer = earliest(working.snapshot);
    if (timer == null || timer.due() > now) {
      next(ticket, number, working, timer == null ? InstanceRow.NEVER : timer.due());
      return;
    }
    Origin origin = new Origin("timer", timer.id());
    Event event = timer.message().event();
    Answer answer = Kernel.fire(working.machine.chart, working.snapshot, timer.id(), now);
    bench.take(ticket, working, origin, event, answer, now);
    if (ticket.reply() instanceof Reply.Rejected) {
      halt(ticket, working);
    }
  }

  /**
   * Halts the instance at which the engine met a fault of its own. Nothing that came for it is
   * lost: messages and results wait until it goes on.
   */
  void contain(Ticket ticket) {
    Working working =
        switch (ticket.command) {
          case Command.Fire(long number) -> instances.find(number);
          case Command.Deliver(MessageRow message) -> {
            setAside(message);
            yield instances.find(message.to());
          }
          case Command.Conclude conclude -> instances.find(conclude.effect().instance());
          default -> null;
        };
    if (working == null) {
      return;
    }
    if (working.row.status() == InstanceRow.Status.LIVE) {
      halt(ticket, working);
    }
    if (ticket.command instanceof Command.Conclude conclude) {
      conclude(ticket, conclude);
    }
  }

  /** Also where as many refusals are kept as may be, and the refusal itself is not written. */
  private void halt(Ticket ticket, Working working) {
    bench.join(working, ticket).dirty = true;
    halts.halt(working);
  }

  /**
   * Nothing is due by what is in memory. Where others write too, the store says when something is,
   * and this node's clock may be behind the store's. A row that says another time than its own
   * snapshot is damaged, and put right, or it would be found again and again.
   */
  private void next(Ticket ticket, long number, @Nullable Working working, long due) {
    if (!journal.isShared()) {
      bench.timetable.put(number, due);
    } else if (working != null && working.pins == 0 && working.row.due() != due) {
      bench.join(working, ticket).dirty = true;
      working.row = working.row.standing(working.row.status(), due);
    } else {
      forgetIfStale(working);
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

  private static @Nullable Timer earliest(Snapshot snapshot) {
    Timer earliest = null;
    for (Timer timer : snapshot.memory().timers()) {
      if (earliest == null || timer.due() < earliest.due()) {
        earliest = timer;
      }
    }
    return earliest;
  }

  void deliver(Ticket ticket, MessageRow message) {
    if (ticket.tries > 0 && journal.message(message.number()) == null) {
      delivering.remove(message.number());
      return;
    }
    Mail mail = mail(message);
    if (mail == null) {
      delivering.remove(message.number());
      return;
    }
    Working working = instances.find(message.to());
    if (working != null && bench.isDeferred(ticket, working)) {
      return;
    }
    switch (mail) {
      case Mail.Birth birth -> birth(ticket, message, birth, working);
      case Mail.End() -> end(ticket, message, working);
      case Mail.Post(Event event) -> post(ticket, message, event, working);
      case Mail.Result result -> result(ticket, message, result, working);
    }
  }

  private void end(Ticket ticket, MessageRow message, @Nullable Working recipient) {
    Working working = recipient;
    if (working == null) {
      MessageRow birth = birthOf(message.to());
      if (birth != null) {
        // It will not be born any more.
        discard(ticket, birth, null);
        discard(ticket, message, null);
        return;
      }
      // It may have been born on another node meanwhile.
      working = instances.find(message.to());
    }
    if (working == null || working.row.status() == InstanceRow.Status.ENDED) {
      discard(ticket, message, working);
      return;
    }
    bench.end(ticket, working, new Origin("message", message.number()), Actor.SYSTEM, null);
    delivered(ticket, working, message);
  }

  /** The message that waits in the store to bring the instance into being, or null. */
  private @Nullable MessageRow birthOf(String instance) {
    Long known = births.get(instance);
    MessageRow birth = known == null ? null : journal.message(known);
    if (birth != null) {
      return birth;
    }
    long after = 0;
    List<MessageRow> page;
    do {
      page = journal.messages(after, PAGE);
      for (MessageRow message : page) {
        after = message.number();
        if (message.to().equals(instance) && mail(message) instanceof Mail.Birth) {
          return message;
        }
      }
    } while (page.size() == PAGE);
    return null;
  }

  /**
   * What the message brings; null when another node delivered it, and its sender's key is destroyed
   * or its id is another's by now.
   */
  private @Nullable Mail mail(MessageRow message) {
    if (!Seal.isSealed(message.body())) {
      return Mail.of(message);
    }
    Working sender = instances.find(message.from());
    try {
      return Mail.of(Seals.opened(message, sender == null ? null : sender.seal));
    } catch (IllegalArgumentException | IllegalStateException e) {
      if (journal.message(message.number()) == null) {
        return null;
      }
      // On another node the sender may have got its seal, or its id may have become another's.
      InstanceRow row = journal.load(message.from());
      if (row == null) {
        throw e;
      }
      Mail mail = Mail.of(Seals.opened(message, machines.seals.of(row)));
      forgetIfStale(sender);
      return mail;
    }
  }

  private void post(Ticket ticket, MessageRow message, Event event, @Nullable Working working) {
    if (working == null) {
      if (!standstills.isEmpty() && birthOf(message.to()) != null) {
        // It waits in the store until its recipient is born.
        setAside(message);
        return;
      }
      bounce(ticket, message, event.sendId(), "there is no instance '" + message.to() + "'");
      return;
    }
    if (working.machine.own) {
      bounce(ticket, message, event.sendId(), "'" + message.to() + "' is the engine's own");
      return;
    }
    if (Workbench.standing(working) != null) {
      // It waits in the store until the instance goes on, which the store knows.
      delivering.remove(message.number());
      return;
    }
    Origin origin = new Origin("message", message.number());
    Rejection refusal = refusal(message, event, working);
    if (refusal == null) {
      long now = bench.now(working);
      Answer answer = Kernel.step(working.machine.chart, working.snapshot, event, now);
      bench.take(ticket, working, origin, event, answer, now);
    } else {
      bench.refuse(ticket, working, origin, event, refusal);
    }
    delivered(ticket, working, message);
    if (refusal != null && isBounced(message, event, refusal)) {
      Event error =
          new Event(
              Environment.BOUNCE,
              Event.Kind.PLATFORM,
              refusal.message(),
              null,
              event.sendId(),
              address(message.to()),
              null,
              null);
      MessageRow news = messages.message(working, message.from(), new Mail.Post(error));
      bench.join(working, ticket).change.messages().add(news);
    }
  }

  /** A result that waited is for the stay in which its effect was asked for, and for no other. */
  private void result(
      Ticket ticket, MessageRow message, Mail.Result result, @Nullable Working working) {
    if (working == null || Workbench.standing(working) != null) {
      post(ticket, message, result.event(), working);
    } else if (working.pins > 0) {
      // What is not committed yet is not in the history.
      bench.defer(ticket, working);
    } else if (hasLeftSince(working, result)) {
      Origin origin = new Origin("message", message.number());
      bench.refuse(ticket, working, origin, result.event(), late(result.event().sendId()));
      delivered(ticket, working, message);
    } else {
      post(ticket, message, result.event(), working);
    }
  }

  private boolean hasLeftSince(Working working, Mail.Result result) {
    if (!Ledger.isIn(result.during(), working.snapshot)) {
      return true;
    }
    long from = result.after() + 1;
    List<EntryRow> page;
    do {
      page = journal.history(working.row.number(), Chain.STEPS, from, PAGE);
      for (EntryRow entry : page) {
        if (Ledger.exited(entry).contains(result.during())) {
          return true;
        }
      }
      from += PAGE;
    } while (page.size() == PAGE);
    return false;
  }

  /** Why what another instance sent or passed on is refused, or null. */
  private @Nullable Rejection refusal(MessageRow message, Event event, Working recipient) {
    if (isEngines(message, event, recipient)) {
      return null;
    }
    Working sender = instances.find(message.from());
    Rejection closed =
        machines.shipped.sendRefusal(recipient.machine, sender == null ? null : sender.machine);
    return closed != null
        ? closed
        : Admission.refusal(recipient, event.name(), event.data(), sender(event, sender, message));
  }

  /**
   * Whether the engine made the event: what the instance tells itself, that a child has ended, and
   * that something reached nobody. Everything else an instance sent, or passed on to its children
   * as it came. News of earlier releases do not say whence they are.
   */
  private static boolean isEngines(MessageRow message, Event event, Working recipient) {
    if (message.from().equals(message.to())) {
      return true;
    }
    String origin = event.origin();
    boolean direct =
        origin == null
            ? !message.from().equals(recipient.row.parent())
            : origin.equals(address(message.from()));
    return direct
        && event.originType() == null
        && (event.name().startsWith(Environment.CHILD_END)
            || (event.name().equals(Environment.BOUNCE) && event.kind() == Event.Kind.PLATFORM));
  }

  /** Whether its sender is told: an event that nobody waits for, or passed on, was no mistake. */
  private static boolean isBounced(MessageRow message, Event event, Rejection refusal) {
    return refusal.code() != Rejection.Code.NO_TRANSITION
        && event.originType() != null
        && address(message.from()).equals(event.origin());
  }

  private static String address(String instance) {
    return "#_scxml_" + instance;
  }

  /** Whoever sent what a parent passes on is still its sender. */
  private Environment.Sender sender(Event event, @Nullable Working sender, MessageRow message) {
    Actor actor = event.actor();
    return actor != null && event.originType() == null
        ? new Environment.Sender.Caller(actor)
        : new Environment.Sender.Instance(
            sender == null ? null : machines.shipped.trusted(sender.machine),
            sender != null && message.to().equals(sender.row.parent()));
  }

  /** Takes the message out of the store together with what it did to the instance. */
  private void delivered(Ticket ticket, Working working, MessageRow message) {
    Slot slot = bench.join(working, ticket);
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
    PublishedChart machine = reference == null ? null : newest.find(reference, ticket);
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
    if (machine.own) {
      bounceInvoke(ticket, message, invokeId, "'" + reference + "' is the engine's own");
      return;
    }
    if (machines.shipped.has(machine.published.name())) {
      Working sender = instances.find(message.from());
      if (sender == null || !machines.shipped.isOne(sender.machine)) {
        bounceInvoke(
            ticket, message, invokeId, "'" + reference + "' is started by its own service alone");
        return;
      }
    }
    if (standstills.of(machine) != null) {
      // It waits in the store until the machine goes on.
      setAside(message);
      births.put(message.to(), message.number());
      return;
    }
    String tooDeep = tooDeep(message);
    if (tooDeep != null) {
      bounceInvoke(ticket, message, invokeId, tooDeep);
      return;
    }
    long now = clock.millis();
    Answer answer = Kernel.start(machine.chart, message.to(), message.from(), birth.input(), now);
    if (answer instanceof Rejection rejection) {
      bounceInvoke(ticket, message, invokeId, rejection.message());
      return;
    }
    Origin origin = new Origin("start", message.number());
    boolean sealed = Seal.isSealed(message.body());
    Working born = bench.begin(ticket, machine, message.to(), origin, null, answer, now, sealed);
    if (born == null) {
      bounceInvoke(ticket, message, invokeId, "its start could not be written down");
    } else if (born.slot != null) {
      born.slot.change.delivered().add(message.number());
    }
  }

  /** Why the child would be too far below, or null. Every level is a stroke in its id at least. */
  private @Nullable String tooDeep(MessageRow message) {
    String fault = Ids.fault(message.to());
    if (fault != null) {
      return "its id can't be: " + fault;
    }
    if (message.to().chars().filter(c -> c == '/').count() < MOST_LEVELS) {
      return null;
    }
    int levels = 0;
    String above = message.from();
    while (above != null && levels < MOST_LEVELS) {
      levels++;
      Working known = instances.inMemory(above);
      InstanceRow row = known != null ? known.row : journal.load(above);
      above = row == null ? null : row.parent();
    }
    return levels < MOST_LEVELS
        ? null
        : "%d instances are below one another already, which are the most".formatted(MOST_LEVELS);
  }

  private void bounce(Ticket ticket, MessageRow message, @Nullable String sendId, String why) {
    Event error =
        new Event(Environment.BOUNCE, Event.Kind.PLATFORM, why, null, sendId, null, null, null);
    tellSender(ticket, message, error);
  }

  private void bounceInvoke(Ticket ticket, MessageRow message, String invokeId, String why) {
    Event error =
        new Event(Environment.BOUNCE, Event.Kind.PLATFORM, why, null, null, null, null, invokeId);
    tellSender(ticket, message, error);
  }

  /** Gives the sender the news that its message reached nobody, in place of the message. */
  private void tellSender(Ticket ticket, MessageRow message, Event error) {
    Working sender = instances.find(message.from());
    if (sender == null) {
      delivering.remove(message.number());
      return;
    }
    if (Workbench.standing(sender) != null) {
      MessageRow later = messages.message(sender, message.from(), new Mail.Post(error));
      delivered(ticket, sender, message);
      bench.join(sender, ticket).change.messages().add(later);
      return;
    }
    long now = bench.now(sender);
    Answer answer = Kernel.step(sender.machine.chart, sender.snapshot, error, now);
    bench.take(ticket, sender, new Origin("message", message.number()), error, answer, now);
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

  void conclude(Ticket ticket, Command.Conclude conclude) {
    EffectRow effect = conclude.effect();
    Working working = instances.find(effect.instance());
    if (working == null || bench.isDeferred(ticket, working)) {
      return;
    }
    Event event = Ledger.result(effect, conclude.outcome());
    Origin origin = new Origin("effect", effect.key());
    if (hasLeft(working, effect) || (ticket.tries > 0 && !isOurs(effect))) {
      bench.refuse(ticket, working, origin, event, late(effect.key()));
      return;
    }
    if (Workbench.standing(working) != null) {
      Mail mail = Mail.result(event, effect.during(), working.row.sequence());
      MessageRow later = messages.message(working, working.row.id(), mail);
      bench.join(working, ticket).change.messages().add(later);
    } else {
      long now = bench.now(working);
      Answer answer = Kernel.step(working.machine.chart, working.snapshot, event, now);
      bench.take(ticket, working, origin, event, answer, now);
    }
    Slot slot = bench.join(working, ticket);
    slot.change.ended().add(new Change.EffectEnd(effect.number(), effect.fence()));
    slot.dirty = true;
  }

  /**
   * Whether the open group leaves the state with which the effect ends. The store gave the effect
   * away before, so it is of an earlier stay, though the instance may be in the state again.
   */
  private static boolean hasLeft(Working working, EffectRow effect) {
    String during = effect.during();
    Slot slot = working.slot;
    return during != null && slot != null && slot.change.left().contains(during);
  }

  private static Rejection late(@Nullable String effect) {
    return Admission.rejection(
        Rejection.Code.LATE_RESULT,
        "Expected the result of effect '%s' in time, but it has ended or another has it."
            .formatted(effect));
  }

  private boolean isOurs(EffectRow effect) {
    EffectRow now = journal.effect(effect.number());
    return now != null && now.fence() == effect.fence();
  }
}
