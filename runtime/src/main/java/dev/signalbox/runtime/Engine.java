package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
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

  private static final int PAGE = 1_000;

  /** How often what the engine does by itself may fail for reasons of its own. */
  private static final int MOST_FAULTS = 10;

  /** After so many looks at the mail, also what waits for something else is looked at again. */
  private static final int GLANCES = 30;

  /** For so many messages that wait for something else, one look at the mail is passed over. */
  private static final int WAITING = 200;

  private final Journal journal;
  private final InstantSource clock;
  private final Workbench bench;
  private final NewestMachines newest;
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

  /** Instances of groups of which nobody knows whether they were written. */
  private final Set<Long> doubtful = new HashSet<>(0);

  /** Whether it has to be read which machines stand still. */
  private boolean standstillsDoubtful;

  /** Whether what could wait is left in the store, for whoever opens it next. */
  private boolean ending;

  private int glances;
  private int passes;
  private boolean effectsAsked;
  private boolean effectsLeft;

  Engine(Journal journal, Machines machines, Settings settings, InstantSource clock, Ids ids) {
    this.journal = journal;
    this.clock = clock;
    this.bench = new Workbench(journal, machines, settings, clock);
    this.standstills = new Standstills(journal, machines);
    this.newest = new NewestMachines(journal, machines);
    this.orders = new Orders(bench, machines, newest, ids, standstills);
    this.halts = new Halts(bench, machines);
    this.deliveries = new Deliveries(bench, machines, newest, standstills, halts);
  }

  /** Lets the engine know how many commands have come so far. */
  void countsArrivals(LongSupplier arrived) {
    newest.countsArrivals(arrived);
  }

  /** Learns from the store what is pending: timers and messages. */
  void recover() {
    Erasing.finish(journal);
    boolean _ = standstills.refresh();
    if (!journal.isShared()) {
      journal.eachDue(due -> bench.timetable.put(due.instance(), due.at()));
    }
    int _ = collect(journal::messages);
    effectsAsked = true;
  }

  /** Takes up every message in the store that can be delivered. */
  void collectMail() {
    if (orders.mailWaits() || ++glances >= GLANCES) {
      glances = 0;
      passes = 0;
      deliveries.lookAgain();
    }
    if (passes > 0) {
      passes--;
    } else {
      passes = collect(journal::deliverable) / WAITING;
    }
  }

  /**
   * Takes up messages page by page. Where the instance in memory stands still and the store says
   * that it goes on, it did so on another node.
   *
   * @return how many of them wait for something else than their recipient
   */
  private int collect(BiFunction<Long, Integer, List<MessageRow>> pages) {
    long after = 0;
    int setAside = 0;
    List<MessageRow> page;
    do {
      page = pages.apply(after, PAGE);
      for (MessageRow message : page) {
        deliveries.forgetIfStanding(message);
        setAside += deliveries.isSetAside(message) ? 1 : 0;
        enqueue(message);
        after = message.number();
      }
    } while (page.size() == PAGE);
    return setAside;
  }

  /** Whether the store has to be asked what became of something. */
  boolean isInDoubt() {
    return !ending && (standstillsDoubtful || !doubtful.isEmpty());
  }

  /**
   * Asks the store what became of groups that failed: what they asked for may be there after all,
   * and nobody else would take it up.
   */
  void resolveDoubts() {
    if (standstillsDoubtful) {
      readStandstills();
    }
    if (doubtful.isEmpty()) {
      return;
    }
    List<InstanceRow> rows = journal.load(doubtful);
    doubtful.forEach(number -> reschedule(number, InstanceRow.NEVER));
    rows.forEach(row -> reschedule(row.number(), row.due()));
    doubtful.clear();
  }

  /** What is in memory has its time already. */
  private void reschedule(long number, long due) {
    if (!bench.instances.isInMemory(number)) {
      bench.timetable.put(number, due);
    }
  }

  /** Reads which machines stand still, and lets what began meanwhile stand still with them. */
  void readStandstills() {
    standstillsDoubtful = true;
    boolean released = standstills.refresh();
    standstillsDoubtful = false;
    if (released) {
      deliveries.lookAgain();
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
    return !again.isEmpty() || !back.isEmpty() || bench.isWanting();
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
    bench.begin();
    try {
      try {
        carryOut(ticket);
      } catch (UnreadableRowException e) {
        bench.undo(ticket);
        onUnreadable(ticket, e);
      }
    } catch (Throwable e) {
      bench.undo(ticket);
      if (!ticket.isInternal()) {
        ticket.fail(
            e instanceof RuntimeException failure
                ? failure
                : new IllegalStateException("Expected to work the command out, but: " + e, e));
      } else if (isPassing(e)) {
        again.add(ticket);
      } else {
        contain(ticket);
      }
      throw e;
    }
  }

  /** Whether it is no fault of the command, so that it can be tried again. */
  private static boolean isPassing(Throwable e) {
    return e instanceof JournalException
        || (e instanceof VirtualMachineError && !(e instanceof StackOverflowError));
  }

  /**
   * A fault of ours harms no other instance than the one it came up with. Where not even that can
   * be written down, it is tried again for a while, for the ticket may hold what nobody else has.
   */
  private void contain(Ticket ticket) {
    try {
      deliveries.contain(ticket);
    } catch (Throwable e) {
      bench.undo(ticket);
      if (isPassing(e) || ++ticket.faults < MOST_FAULTS) {
        again.add(ticket);
      } else if (ticket.command instanceof Command.Fire(long number)) {
        bench.timetable.put(number, InstanceRow.NEVER);
      }
    }
  }

  private void onUnreadable(Ticket ticket, UnreadableRowException e) {
    Working known = bench.instances.inMemory(e.row().id());
    if (known != null && known.pins > 0) {
      // Whether the store has it like that shows when what is on its way is there.
      bench.defer(ticket, known);
      return;
    }
    if (known != null) {
      bench.instances.drop(known);
    }
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

  /** Whether a turn with an instance is wanted. */
  boolean isWanting() {
    return bench.isWanting();
  }

  /** The wish for a turn that has waited longest, or null. */
  @Nullable Batch wish() {
    Working wanted = bench.takeWanted();
    return wanted == null ? null : new Batch(wanted, clock.millis());
  }

  /**
   * Works out what waited for a turn, while nobody else can write the instance. The group that was
   * open is sealed before. What callers ask for cannot lose in it unless it shares the group with a
   * message or a result that another is about to take; so where a caller has lost in a turn, the
   * next one is the callers' alone.
   *
   * @param onFault is told what a command failed with
   */
  Batch workOutInTurn(Working wanted, Consumer<Throwable> onFault) {
    List<Ticket> waiting = bench.release(wanted);
    boolean callersAlone =
        waiting.stream().anyMatch(ticket -> ticket.lostInTurn && !ticket.isInternal());
    for (Ticket ticket : waiting) {
      if (bench.isFull() || (callersAlone && ticket.isInternal())) {
        back.add(ticket);
        continue;
      }
      ticket.inTurn = true;
      ticket.lostInTurn = true;
      try {
        submit(ticket);
      } catch (Throwable e) {
        onFault.accept(e);
      } finally {
        ticket.inTurn = false;
      }
    }
    Batch batch = seal();
    return batch != null ? batch : new Batch(List.of(), new Group(0, List.of()), List.of());
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
        fireNext(slot);
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
    if (!bench.shared) {
      begun.clear();
    }
    bench.instances.shrink();
  }

  /**
   * Where others write too, the store says of an instance that something is due and not how much:
   * whoever fired one timer of it goes on with the next, or they would fire no faster than the
   * store is asked.
   */
  private void fireNext(Slot slot) {
    InstanceRow row = slot.working.row;
    if (bench.shared
        && !ending
        && row.status() == InstanceRow.Status.LIVE
        && row.due() <= clock.millis()
        && slot.tickets.stream().anyMatch(ticket -> ticket.command instanceof Command.Fire)) {
      again.add(new Ticket(new Command.Fire(row.number())));
    }
  }

  /** What can't be destroyed now is tried with the next commit, and when the store is opened. */
  private void destroyKeys() {
    if (erased.isEmpty()) {
      return;
    }
    try {
      journal.destroyKeys(erased);
      erased.clear();
    } catch (RuntimeException | Error e) {
      LOG.log(System.Logger.Level.WARNING, "Keys are still to be destroyed.", e);
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
    if (batch.wanted != null) {
      back.addAll(bench.release(batch.wanted));
    }
    orders.mailMayGo();
    effectsAsked = true;
    for (Slot slot : batch.slots) {
      slot.working.pins--;
      if (!bench.shared) {
        doubtful.add(slot.working.row.number());
      }
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

  /** The open group is not written any more. */
  void giveUp(JournalException failure) {
    for (Working each = bench.takeWanted(); each != null; each = bench.takeWanted()) {
      back.addAll(bench.release(each));
    }
    Batch batch = seal();
    if (batch != null) {
      failed(batch, failure);
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
    if (!bench.shared) {
      InstanceRow before = slot.before;
      bench.timetable.put(working.row.number(), before == null ? InstanceRow.NEVER : before.due());
    }
  }
}
