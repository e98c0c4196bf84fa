package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Turn;
import java.lang.System.Logger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drives the engine: one thread works commands out while another lets the journal append the group
 * before. So the disk is never waited for while there is something to compute, and whatever comes
 * during a commit shares the next one.
 *
 * <p>A command that comes alone is appended by the thread that worked it out. Where its caller
 * waits for the answer and finds the engine at rest, that thread is the caller's own: to wake
 * another and be woken by it takes as long as the disk. So the engine is driven by whoever holds
 * {@link #driving}, one at a time, and nobody holds it while something is appended.
 *
 * <p>The threads are loops over {@link #step} and {@link #append(Batch)}, which wait for nothing
 * but the store; whoever drives the engine by hand calls the same.
 */
final class Lane {
  private static final Logger LOG = System.getLogger(Lane.class.getName());
  private static final long POLL = 100;
  private static final long MAIL_POLL = 2_000;

  /** Milliseconds after which a node knows at the latest which machines others let stand still. */
  private static final long STANDSTILL_POLL = 250;

  /** Milliseconds after which a group on its way is no reason to hold back the next. */
  private static final long PATIENCE = 20;

  /** Failures of the store after which what waits is left to whoever opens it next, at a close. */
  private static final int LAST_TRIES = 10;

  /** Milliseconds for which a store that fails is tried again, at a close. */
  private static final long LAST_PATIENCE = 10_000;

  /** Milliseconds for which the engine rests at most after a fault of its own. */
  private static final long LONGEST_AFTER_FAULT = 20;

  /** Instances in a group that make its commit worthwhile although more commands wait. */
  private static final int WORTHWHILE = 64;

  private final Engine engine;
  private final Journal journal;
  private final InstantSource clock;
  private final Inbox inbox;
  private final EffectRunner effects;
  private final Runnable committed;
  private final Checkpointer checkpointer;
  private final BlockingDeque<Batch> toCommit = new LinkedBlockingDeque<>();
  private final Queue<Result> results = new ConcurrentLinkedQueue<>();
  private final Turns turns;
  private final Thread worker;
  private final List<Thread> committers = new ArrayList<>();
  private final Batch last;
  private final ReentrantLock driving = new ReentrantLock();

  /** What {@link #step} answers when there is nothing left to come. */
  static final long OVER = -1;

  /** Whether what waits can't be taken now, so that more of it is no reason to look. */
  private boolean waitsInVain;

  /** Whether the engine's thread has to look once more before it rests. */
  private volatile boolean nudged;

  private volatile boolean closing;
  private volatile boolean caughtUp;
  private final List<Batch> inFlight = new ArrayList<>();

  /** What the engine's thread appends itself before it does anything else. */
  private @Nullable Batch alone;

  private Consumer<Throwable> onFault =
      e -> LOG.log(Logger.Level.ERROR, "The engine met a fault of its own.", e);
  private long troubledUntil;

  /** How many rounds in a row ended with a fault of the engine's own. */
  private int faults;

  /** Whether there was a pause since the store failed last. */
  private boolean rested;

  /** How often the store failed since this is closing, and since when that is. */
  private int failures;

  private volatile long closingSince;
  private long nextPoll;
  private long nextMail;
  private long nextStandstills;

  /** When the engine's thread looks again at the latest. */
  private long restsUntil;

  Lane(
      Engine engine,
      Journal journal,
      InstantSource clock,
      Inbox inbox,
      EffectRunner effects,
      Runnable committed,
      Checkpointer checkpointer) {
    this.engine = engine;
    this.journal = journal;
    this.clock = clock;
    this.inbox = inbox;
    this.turns = new Turns(engine, inbox);
    this.effects = effects;
    this.committed = committed;
    this.checkpointer = checkpointer;
    this.last = new Batch(List.of(), new dev.signalbox.journal.Group(0, List.of()), List.of());
    this.worker = Thread.ofPlatform().name("signalbox-engine").unstarted(this::work);
    for (int i = 0; i < engine.appendsAtOnce(); i++) {
      committers.add(Thread.ofPlatform().name("signalbox-journal-" + i).unstarted(this::commit));
    }
  }

  /** How a commit went. */
  private record Result(
      Batch batch, @Nullable Appended appended, @Nullable JournalException failure) {}

  /**
   * What is to be done after a round.
   *
   * @param alone a group that whoever made the round appends
   * @param rest for how many nanoseconds there is nothing to do
   * @param isFull whether what waits can't be taken now, so that more of it is no reason to look
   */
  private record Round(@Nullable Batch alone, long rest, boolean isFull, boolean isLast) {
    static final Round MORE = new Round(null, 0, false, false);
    static final Round LAST = new Round(null, 0, false, true);

    static Round alone(Batch batch) {
      return new Round(batch, 0, false, false);
    }
  }

  /** Learns from the store what is pending. */
  void recover() {
    engine.recover();
  }

  /** Lets threads of its own drive the engine. */
  void start() {
    worker.start();
    committers.forEach(Thread::start);
  }

  /** Tells somebody else than the log of faults that are the engine's own. */
  void onFault(Consumer<Throwable> told) {
    onFault = told;
  }

  /** Whether what fell due and what waited while the store was closed has happened. */
  boolean isCaughtUp() {
    return caughtUp;
  }

  private boolean isNothingLeft() {
    return turns.isEmpty()
        && !engine.hasAgain()
        && !engine.isDue(clock.millis())
        && (!journal.isShared() || journal.due(journal.now(), 1).isEmpty());
  }

  /**
   * Whether there is nothing to do: what was committed has led to nothing that is still to come.
   */
  boolean isResting() {
    driving.lock();
    try {
      return isAtRest() && !engine.mailWaits();
    } finally {
      driving.unlock();
    }
  }

  /**
   * Ends after everything that waits is done. If the store goes on failing, what callers wait for
   * is answered with that, and what the engine does by itself is left to whoever opens it next.
   */
  void close() {
    end();
    try {
      worker.join();
      for (Thread committer : committers) {
        committer.join();
      }
      checkpoint();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void onCheckpoint(Consumer<byte[]> listener) {
    checkpointer.listen(listener);
  }

  /** Writes the last checkpoint. */
  void checkpoint() {
    checkpointer.write();
  }

  /** Takes on what waits and nothing more; {@link #OVER} says when that is done. */
  void end() {
    closingSince = clock.millis();
    closing = true;
    nudge();
  }

  /**
   * Takes a command whose caller waits for the answer; false when there is no room. Where the
   * engine is at rest, it is carried out before this returns.
   */
  boolean take(Ticket ticket) {
    if (!mayDrive() || driving.isHeldByCurrentThread() || !driving.tryLock()) {
      return inbox.offer(ticket);
    }
    // Whatever else is done meanwhile is not done for this caller.
    return CallerTrace.NOBODY.during(() -> drive(ticket));
  }

  /**
   * Whether a caller may reach the store. A virtual thread that is interrupted would close the
   * connection to a store that others write too, and everybody would wait for a new one.
   */
  private boolean mayDrive() {
    Thread caller = Thread.currentThread();
    return !journal.isShared() || (!caller.isVirtual() && !caller.isInterrupted());
  }

  /** Whoever calls has taken the lock, which this gives back. */
  private boolean drive(Ticket ticket) {
    Round round;
    try {
      if (!isAtRest()) {
        return inbox.offer(ticket);
      }
      if (!inbox.put(ticket)) {
        return false;
      }
      round = round(true);
    } finally {
      driving.unlock();
    }
    if (round.alone() != null) {
      results.add(append(round.alone()));
    }
    if (isMoreToDo()) {
      nudge();
    }
    return true;
  }

  private boolean isAtRest() {
    long now = clock.millis();
    return !closing
        && inFlight.isEmpty()
        && results.isEmpty()
        && !isPending()
        && !engine.isDue(now)
        && !isTroubled();
  }

  /** Answers those whose commands are durable; says whether anything is left. */
  private boolean isMoreToDo() {
    if (!driving.tryLock()) {
      return true;
    }
    try {
      takeResults();
      return closing
          || isPending()
          || !inFlight.isEmpty()
          || engine.mailWaits()
          || engine.nextDue() < restsUntil;
    } finally {
      driving.unlock();
    }
  }

  /** Has the engine's thread look again. */
  private void nudge() {
    nudged = true;
    inbox.wake();
  }

  private void work() {
    for (long rest = step(); rest != OVER; rest = step()) {
      if (rest > 0) {
        boolean isFull = waitsInVain;
        inbox.await(rest, () -> nudged || !results.isEmpty() || (!isFull && inbox.size() > 0));
      }
    }
  }

  /**
   * What the engine's thread does at a time: a round, or the append of what came alone.
   *
   * @return for how many nanoseconds there is nothing to do, or {@link #OVER}
   */
  long step() {
    Batch mine = alone;
    if (mine != null) {
      alone = null;
      results.add(append(mine));
      return 0;
    }
    Round round;
    driving.lock();
    try {
      nudged = false;
      takeResults();
      round = round(false);
      restsUntil = clock.millis() + TimeUnit.NANOSECONDS.toMillis(round.rest());
    } finally {
      driving.unlock();
    }
    if (round.isLast()) {
      inbox.close();
      toCommit.add(last);
      return OVER;
    }
    alone = round.alone();
    waitsInVain = round.isFull();
    return round.rest();
  }

  /** How many groups wait to be appended, by whomever. */
  int toAppend() {
    return toCommit.size() + (alone == null ? 0 : 1);
  }

  /**
   * What a thread of the journal does at a time: appends one of the groups that wait.
   *
   * @param which 0 for the one that waits longest
   */
  void append(int which) {
    Batch batch = alone;
    if (batch != null) {
      // Nothing else is on its way then.
      alone = null;
    } else {
      batch = List.copyOf(toCommit).get(which);
      boolean _ = toCommit.remove(batch);
    }
    results.add(append(batch));
  }

  /** Takes up how appends went, and answers those whose commands are durable. */
  void settle() {
    boolean _ = isMoreToDo();
  }

  /** Looks with the next step for what other nodes did, whatever the time. */
  void pollSoon() {
    nextPoll = 0;
    nextMail = 0;
    nextStandstills = 0;
  }

  /** Takes up how commits went. */
  private void takeResults() {
    for (Result done = results.poll(); done != null; done = results.poll()) {
      inFlight.remove(done.batch());
      try {
        if (done.appended() != null && done.appended().lost().isEmpty() && isTime()) {
          // The disk need not wait while the answers go out.
          handOn(engine.seal());
        }
      } catch (Throwable e) {
        fault(e);
      }
      try {
        finish(done);
      } catch (Throwable e) {
        fault(e);
      }
    }
  }

  /** One round, by a caller or by the engine's thread; what fails in it is tried again. */
  private Round round(boolean byCaller) {
    try {
      Round round = turn(byCaller);
      faults = 0;
      return round;
    } catch (Throwable e) {
      fault(e);
      return e instanceof JournalException ? Round.MORE : afterFault();
    }
  }

  /** Whoever meets the same fault again and again does so slower and slower. */
  private Round afterFault() {
    long rest = Math.min(1L << Math.min(faults++, Long.SIZE - 2), LONGEST_AFTER_FAULT);
    return new Round(null, TimeUnit.MILLISECONDS.toNanos(rest), true, false);
  }

  private Round turn(boolean byCaller) {
    turns.collect();
    if (closing) {
      engine.end();
      turns.end();
      if (isHopeless()) {
        turns.giveUp();
        return Round.LAST;
      }
    } else if (engine.mailWaits() && !isTroubled()) {
      engine.collectMail();
      engine.mailIsCollected();
    }
    if (!isTroubled()) {
      if (engine.isInDoubt()) {
        engine.resolveDoubts();
      }
      if (!byCaller) {
        poll();
      }
      fill();
      wish();
    }
    if (isTime()) {
      boolean alone = isAlone(byCaller);
      Batch batch = engine.seal();
      if (batch != null && alone) {
        inFlight.add(batch);
        return Round.alone(batch);
      }
      handOn(batch);
      if (inFlight.isEmpty()) {
        checkpointer.tick(clock.millis());
        caughtUp = caughtUp || isNothingLeft();
        if (closing && turns.isEmpty() && !engine.hasAgain()) {
          return Round.LAST;
        }
      }
    }
    boolean rests = engine.isFull() || (!inFlight.isEmpty() && turns.isEmpty()) || !hasWork();
    return rests ? new Round(null, pause(), !turns.isEmpty(), false) : Round.MORE;
  }

  /**
   * Whether the open group may go on its way. Beside another one it waits for a while until it is
   * half as large: a commit costs as much as many commands, and those who were answered together
   * come back together.
   */
  private boolean isTime() {
    if (inFlight.size() >= engine.appendsAtOnce()) {
      return false;
    }
    for (Batch batch : inFlight) {
      if (2 * engine.openSize() < batch.slots.size()
          && clock.millis() - batch.group.at() < PATIENCE) {
        return false;
      }
    }
    return true;
  }

  /** Lets a committer wait for a turn; for one at a time, so that the others append. */
  private void wish() {
    if (engine.isWanting() && inFlight.stream().allMatch(batch -> batch.wanted == null)) {
      handOn(engine.wish());
    }
  }

  /** Hands a group to a committer; null stands for none. */
  private void handOn(@Nullable Batch batch) {
    if (batch != null) {
      inFlight.add(batch);
      toCommit.add(batch);
    }
  }

  /**
   * Whether nobody but one wants anything: then it is quicker to append at once than to wake
   * another thread and be woken by it. Where others write too, a commit may take long, and the
   * engine's thread never waits for it.
   */
  private boolean isAlone(boolean byCaller) {
    return engine.openSize() == 1
        && inFlight.isEmpty()
        && turns.isEmpty()
        && (byCaller || !journal.isShared());
  }

  private boolean hasWork() {
    return !isTroubled() && isPending();
  }

  /**
   * Whether the store failed a moment ago. While this closes, a moment is one pause: its clock may
   * stand still.
   */
  private boolean isTroubled() {
    return clock.millis() < troubledUntil && !(closing && rested);
  }

  /** Whether the store has failed so often since this is closing that nothing more is expected. */
  private boolean isHopeless() {
    return inFlight.isEmpty()
        && failures > 0
        && (failures >= LAST_TRIES || clock.millis() - closingSince >= LAST_PATIENCE);
  }

  private boolean isPending() {
    return !turns.isEmpty() || engine.hasAgain() || engine.hasOpen() || engine.isInDoubt();
  }

  private void fill() {
    long now = clock.millis();
    // A committer that is free does not wait until everybody has had a turn: otherwise all who are
    // answered together would come back together, and disk and processor take turns for ever.
    while (!engine.isFull()
        && (!turns.callersWait()
            || (results.isEmpty() && (engine.openSize() < WORTHWHILE || !isTime())))) {
      if (turns.next(now) == Turns.Turn.NOBODY) {
        return;
      }
    }
  }

  /** Where other nodes write too, what is due and what waits is asked for again and again. */
  private void poll() {
    if (!journal.isShared() || closing) {
      return;
    }
    long now = clock.millis();
    if (now >= nextPoll && !turns.hasDue()) {
      nextPoll = now + POLL;
      long store = journal.now();
      if (clock instanceof SharedClock shared) {
        shared.heard(store);
      }
      turns.due(journal.due(store, 1_000));
    }
    if (now >= nextStandstills) {
      nextStandstills = now + STANDSTILL_POLL;
      engine.readStandstills();
    }
    if (now >= nextMail) {
      nextMail = now + MAIL_POLL;
      engine.collectMail();
    }
  }

  private long pause() {
    long now = clock.millis();
    long wait = Math.min(engine.nextDue() - now, 1_000);
    if (journal.isShared()) {
      wait = Math.min(wait, Math.min(nextPoll - now, engine.hasOpen() ? PATIENCE : POLL));
    }
    if (isTroubled()) {
      wait = troubledUntil - now;
      rested = true;
    }
    return TimeUnit.MILLISECONDS.toNanos(Math.clamp(wait, 1, 1_000));
  }

  private void finish(Result done) {
    if (done.appended() != null) {
      done.batch().answer(done.appended());
      engine.committed(done.batch(), done.appended());
      if (!done.batch().isEmpty()) {
        committed.run();
      }
      if (engine.takeEffectsAsked()) {
        effects.wake();
      }
      if (engine.takeEffectsLeft()) {
        effects.look();
      }
    } else if (done.failure() != null) {
      engine.failed(done.batch(), done.failure());
      trouble(done.failure());
      if (engine.takeEffectsAsked()) {
        effects.wake();
      }
    }
  }

  private void fault(Throwable e) {
    if (e instanceof JournalException failure) {
      trouble(failure);
    } else {
      // Whoever waits for something else still gets an answer.
      failures += closing ? 1 : 0;
      onFault.accept(e);
    }
  }

  private void trouble(JournalException e) {
    LOG.log(Logger.Level.WARNING, e.getMessage());
    troubledUntil = clock.millis() + 200;
    rested = false;
    failures += closing ? 1 : 0;
  }

  private void commit() {
    try {
      while (true) {
        Batch batch = toCommit.take();
        if (batch == last) {
          toCommit.add(last);
          return;
        }
        results.add(append(batch));
        inbox.wake();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for a turn with an instance, works out what waited for it, and appends that. All of it is
   * done by the thread that waited, so that nobody waits for a turn longer than for a commit.
   */
  private Result appendInTurn(Batch wish, Working wanted) {
    Batch batch = wish;
    try (Turn turn = journal.turn(wanted.row.number())) {
      driving.lock();
      try {
        handOn(engine.seal());
        batch = engine.workOutInTurn(wanted, this::fault);
        inFlight.remove(wish);
        inFlight.add(batch);
      } finally {
        driving.unlock();
      }
      Appended appended = batch.appendTo(journal, turn);
      if (!batch.isEmpty()) {
        checkpointer.committed();
      }
      return new Result(batch, appended, null);
    } catch (JournalException e) {
      return new Result(batch, null, e);
    } catch (Throwable e) {
      return new Result(
          batch, null, new JournalException("Expected to append, but: " + e.getMessage(), e, true));
    }
  }

  private Result append(Batch batch) {
    if (batch.wanted != null) {
      return appendInTurn(batch, batch.wanted);
    }
    try {
      Appended appended = batch.appendTo(journal);
      if (!batch.isEmpty()) {
        checkpointer.committed();
      }
      return new Result(batch, appended, null);
    } catch (JournalException e) {
      return new Result(batch, null, e);
    } catch (Throwable e) {
      return new Result(
          batch, null, new JournalException("Expected to append, but: " + e.getMessage(), e, true));
    }
  }
}
