package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.Rejection;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Turns commands into groups for the journal. It has no threads and does not wait: whoever drives
 * it gives it commands, takes the sealed group, lets the journal append it, and says how that went.
 * The next group fills meanwhile and may build on the one on its way; what was built on a group
 * that fails is worked out again. Where several connections append, a command for an instance that
 * is on its way waits instead.
 *
 * <p>For one thread at a time.
 */
final class Engine {
  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  private final Journal journal;
  private final Settings settings;
  private final InstantSource clock;
  private final Workbench bench;
  private final Orders orders;
  private final Deliveries deliveries;
  private final Standstills standstills;
  private final Halts halts;

  /** Commands that must be given to the engine, in order. */
  private List<Ticket> again = new ArrayList<>();

  /** Commands that were worked out before, or waited for an instance, in order. */
  private List<Ticket> back = new ArrayList<>();

  /** Where others write too: what began since it was last read which machines stand still. */
  private final List<Working> begun = new ArrayList<>(0);

  /** Instances whose erasure is committed and whose keys are still there. */
  private final List<Long> erased = new ArrayList<>(0);

  /** Whether what could wait is left in the store, for whoever opens it next. */
  private boolean ending;

  private boolean effectsAsked;
  private boolean effectsLeft;

  Engine(Journal journal, Machines machines, Settings settings, InstantSource clock, Ids ids) {
    this.journal = journal;
    this.settings = settings;
    this.clock = clock;
    this.bench = new Workbench(journal, machines, settings, clock);
    this.standstills = new Standstills(journal, machines);
    this.orders = new Orders(bench, machines, ids, standstills);
    this.halts = new Halts(bench, machines);
    this.deliveries = new Deliveries(bench, machines, standstills, halts);
  }

  /** Learns from the store what is pending: timers and messages. */
  void recover() {
    Erasing.finish(journal);
    boolean _ = standstills.refresh();
    if (!journal.isShared()) {
      journal.eachDue(due -> bench.timetable.put(due.instance(), due.at()));
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

  /** Reads which machines stand still, and lets what began meanwhile stand still with them. */
  void readStandstills() {
    if (standstills.refresh()) {
      orders.mailMayGo();
    }
    begun.forEach(this::standStill);
    begun.clear();
  }

  /** Pauses an instance that began although its machine stands still. */
  private void standStill(Working working) {
    MachinePause pause = standstills.of(working.machine);
    if (pause != null && !working.machine.own) {
      again.add(
          new Ticket(new Command.Pause(working.row.id(), pause.clocks(), pause.actor(), null)));
    }
  }

  /** Takes nothing up any more by itself: timers and messages stay in the store. */
  void end() {
    ending = true;
  }

  private void enqueue(MessageRow message) {
    if (!ending && deliveries.takeUp(message)) {
      again.add(new Ticket(new Command.Deliver(message)));
    }
  }

  /** How many groups may be on their way at a time. */
  int appendsAtOnce() {
    return bench.appendsAtOnce;
  }

  boolean isFull() {
    return bench.isFull();
  }

  boolean hasOpen() {
    return bench.hasOpen();
  }

  /** How many instances the open group has a part of. */
  int openSize() {
    return bench.openSize();
  }

  /** When the next timer falls due. */
  long nextDue() {
    return bench.timetable.next();
  }

  /** Takes the commands that have to be given after those that wait. */
  List<Ticket> takeAgain() {
    if (again.isEmpty()) {
      return List.of();
    }
    List<Ticket> taken = again;
    again = new ArrayList<>();
    return taken;
  }

  /** Takes the commands that have to be given once more, before those that wait. */
  List<Ticket> takeBack() {
    if (back.isEmpty()) {
      return List.of();
    }
    List<Ticket> taken = back;
    back = new ArrayList<>();
    return taken;
  }

  boolean hasAgain() {
    return !again.isEmpty() || !back.isEmpty();
  }

  /** Whether effects were committed since this was last asked. */
  boolean takeEffectsAsked() {
    boolean asked = effectsAsked;
    effectsAsked = false;
    return asked;
  }

  /** Whether states were left since this was last asked with which effects end. */
  boolean takeEffectsLeft() {
    boolean left = effectsLeft;
    effectsLeft = false;
    return left;
  }

  /** Whether messages in the store can be delivered now that could not before. */
  boolean mailWaits() {
    return orders.mailWaits();
  }

  /** The messages that waited are taken up. */
  void mailIsCollected() {
    orders.mailIsCollected();
  }

  /** Whether a timer is due at the moment; where others write too, the store is asked instead. */
  boolean isDue(long now) {
    return !ending && bench.timetable.next() <= now;
  }

  /** Fires the timer that is due first. */
  void fireFirst() {
    submit(new Ticket(new Command.Fire(bench.timetable.first())));
  }

  /** Works a command out and makes what it does a part of the open group. */
  void submit(Ticket ticket) {
    if (ticket.tries > settings.retries()) {
      if (ticket.command instanceof Command.Deliver(MessageRow message)) {
        // Whoever was faster may not have delivered it; then it is found in the store again.
        deliveries.done(message.number());
      }
      Workbench.answerNow(
          ticket,
          Admission.rejection(
              Rejection.Code.BUSY,
              "Expected to get a turn within %d tries, but others were always faster; try again."
                  .formatted(settings.retries())));
      return;
    }
    bench.counted();
    try {
      try {
        carryOut(ticket);
      } catch (UnreadableRowException e) {
        bench.withdraw(ticket);
        onUnreadable(ticket, e);
      }
    } catch (RuntimeException e) {
      // Nothing of the command is in the group, for it is written down at the very end.
      bench.withdraw(ticket);
      if (ticket.isInternal() && e instanceof JournalException) {
        again.add(ticket);
      } else {
        ticket.fail(e);
      }
      throw e;
    }
  }

  private void onUnreadable(Ticket ticket, UnreadableRowException e) {
    if (ticket.command instanceof Command.Deliver(MessageRow message)) {
      // It waits in the store until the instance goes on.
      deliveries.done(message.number());
    }
    if (!halts.onUnreadable(ticket, e)) {
      again.add(ticket);
    }
  }

  private void carryOut(Ticket ticket) {
    switch (ticket.command) {
      case Command.Send send -> orders.send(ticket, send);
      case Command.Start start -> orders.start(ticket, start);
      case Command.Branch branch -> orders.fork(ticket, branch);
      case Command.Restore restore -> orders.restore(ticket, restore);
      case Command.GiveUp giveUp -> orders.giveUp(ticket, giveUp);
      case Command.Correct _ -> throw new IllegalStateException("The door prepares corrections.");
      case Command.Fork _ -> throw new IllegalStateException("The door prepares forks.");
      case Command.Fire(long number) -> deliveries.fire(ticket, number);
      case Command.Deliver(MessageRow message) -> deliveries.deliver(ticket, message);
      case Command.Conclude conclude -> deliveries.conclude(ticket, conclude);
      case Command.Cancel cancel -> orders.cancel(ticket, cancel);
      case Command.Pause pause -> orders.pause(ticket, pause);
      case Command.Resume resume -> orders.resume(ticket, resume);
      case Command.Migrate migrate -> orders.migrate(ticket, migrate);
      case Command.Erase erase -> orders.erase(ticket, erase);
    }
  }

  /** The open group, ready to be appended; null when there is none. */
  @Nullable Batch seal() {
    // Also when nothing is in it: commands that left nothing behind must not fill the next group.
    List<Slot> sealed = bench.close();
    if (sealed.isEmpty()) {
      return null;
    }
    List<Change> changes = new ArrayList<>(sealed.size());
    List<InstanceKey> keys = new ArrayList<>(0);
    for (Slot slot : sealed) {
      Working working = slot.working;
      working.slot = null;
      if (slot.dirty) {
        if (working.seal != null || working.erased) {
          working.row = working.row.encoded(Seals.bytes(working));
          if (working.newKey != null) {
            keys.add(working.newKey);
            working.newKey = null;
          }
        }
        slot.change.after(working.row);
        changes.add(slot.change);
        bench.instances.reweigh(working);
      }
    }
    return new Batch(sealed, new Group(clock.millis(), changes), keys);
  }

  /** The group is in the journal, but for what it lost. */
  void committed(Batch batch, Appended appended) {
    Set<Change> lost = appended.lost().isEmpty() ? Set.of() : new HashSet<>(appended.lost());
    boolean standstill = false;
    for (Slot slot : batch.slots) {
      Working working = slot.working;
      working.pins--;
      if (lost.contains(slot.change)) {
        lost(slot);
        continue;
      }
      if (working.pins == 0) {
        working.answers.clear();
        back.addAll(bench.takeDeferred(working));
        if (working.row.status() == InstanceRow.Status.ENDED) {
          // Hardly anything comes for it any more, and the store has it.
          bench.instances.drop(working);
        }
      }
      standstill |= working.machine.own;
      if (slot.change.isCreation()) {
        begun.add(working);
      }
      slot.change.delivered().forEach(deliveries::done);
      slot.change.messages().forEach(this::enqueue);
      effectsAsked |= !slot.change.effects().isEmpty();
      effectsLeft |= !slot.change.left().isEmpty();
      if (slot.erases) {
        erased.add(working.row.number());
      }
    }
    destroyKeys();
    if (standstill) {
      readStandstills();
    } else if (!standstills.isEmpty()) {
      begun.forEach(this::standStill);
    }
    if (!journal.isShared()) {
      begun.clear();
    }
    bench.instances.shrink();
  }

  /** What can't be destroyed now is tried with the next commit, and when the store is opened. */
  private void destroyKeys() {
    if (erased.isEmpty()) {
      return;
    }
    try {
      journal.destroyKeys(erased);
      erased.clear();
    } catch (JournalException e) {
      LOG.log(System.Logger.Level.WARNING, e.getMessage());
    }
  }

  /** Someone else was faster: what was built on the old state is thrown away and tried again. */
  private void lost(Slot slot) {
    slot.tickets.forEach(this::tryAgain);
    forget(slot);
  }

  private void tryAgain(Ticket ticket) {
    ticket.tries++;
    ticket.decided(null);
    back.add(ticket);
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
          back.add(ticket);
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
    bench.instances.drop(working);
    Slot next = working.slot;
    if (next != null) {
      bench.withdraw(next);
      next.tickets.forEach(this::tryAgain);
    }
    back.addAll(bench.takeDeferred(working));
    if (!journal.isShared()) {
      InstanceRow before = slot.before;
      bench.timetable.put(working.row.number(), before == null ? InstanceRow.NEVER : before.due());
    }
  }
}
