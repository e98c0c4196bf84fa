package dev.signalbox.runtime;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import java.lang.System.Logger;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
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
 */
final class Lane {
  private static final Logger LOG = System.getLogger(Lane.class.getName());
  private static final long POLL = 100;
  private static final long MAIL_POLL = 2_000;

  /** Milliseconds after which a node knows at the latest which machines others let stand still. */
  private static final long STANDSTILL_POLL = 250;

  /** Milliseconds after which a group on its way is no reason to hold back the next. */
  private static final long PATIENCE = 20;

  /** Instances in a group that make its commit worthwhile although more commands wait. */
  private static final int WORTHWHILE = 64;

  private final Engine engine;
  private final Journal journal;
  private final InstantSource clock;
  private final Inbox inbox;
  private final EffectRunner effects;
  private final Runnable committed;
  private final Checkpointer checkpointer;
  private final BlockingQueue<Batch> toCommit = new LinkedBlockingQueue<>();
  private final Queue<Result> results = new ConcurrentLinkedQueue<>();
  private final Turns turns;
  private final Thread worker;
  private final List<Thread> committers = new ArrayList<>();
  private final Batch last;
  private final ReentrantLock driving = new ReentrantLock();

  /** Whether the engine's thread has to look once more before it rests. */
  private volatile boolean nudged;

  private volatile boolean closing;
  private volatile boolean caughtUp;
  private final List<Batch> inFlight = new ArrayList<>();
  private long troubledUntil;
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

  void start() {
    engine.recover();
    worker.start();
    committers.forEach(Thread::start);
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

  /** Ends after everything that waits is done. */
  void close() {
    closing = true;
    nudge();
    try {
      worker.join();
      for (Thread committer : committers) {
        committer.join();
      }
      checkpointer.write();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
        && now >= troubledUntil;
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
    Round round;
    do {
      driving.lock();
      try {
        nudged = false;
        takeResults();
        round = round(false);
        restsUntil = clock.millis() + TimeUnit.NANOSECONDS.toMillis(round.rest());
      } finally {
        driving.unlock();
      }
      if (round.alone() != null) {
        results.add(append(round.alone()));
      } else if (round.rest() > 0) {
        boolean isFull = round.isFull();
        inbox.await(
            round.rest(), () -> nudged || !results.isEmpty() || (!isFull && inbox.size() > 0));
      }
    } while (!round.isLast());
    inbox.close();
    toCommit.add(last);
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
      return turn(byCaller);
    } catch (Throwable e) {
      fault(e);
      return Round.MORE;
    }
  }

  private Round turn(boolean byCaller) {
    turns.collect();
    if (engine.mailWaits()) {
      engine.collectMail();
      engine.mailIsCollected();
    }
    if (closing) {
      engine.end();
      turns.end();
    }
    if (clock.millis() >= troubledUntil) {
      if (!byCaller) {
        poll();
      }
      fill();
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
    return clock.millis() >= troubledUntil && isPending();
  }

  private boolean isPending() {
    return !turns.isEmpty() || engine.hasAgain() || engine.hasOpen();
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
      turns.due(journal.due(journal.now(), 1_000));
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
    if (troubledUntil > now) {
      wait = troubledUntil - now;
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
    }
  }

  private void fault(Throwable e) {
    if (e instanceof JournalException failure) {
      trouble(failure);
    } else {
      // Whoever waits for something else still gets an answer.
      LOG.log(Logger.Level.ERROR, "The engine met a fault of its own.", e);
    }
  }

  private void trouble(JournalException e) {
    LOG.log(Logger.Level.WARNING, e.getMessage());
    troubledUntil = clock.millis() + 200;
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

  private Result append(Batch batch) {
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
