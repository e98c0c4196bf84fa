package dev.signalbox.runtime;

import dev.signalbox.journal.Due;
import dev.signalbox.journal.JournalException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Whose turn it is. As long as both wait, what callers ask for and what the engine does by itself
 * take turns, command by command, and so do timers and the rest of what it does by itself. So a
 * flood of one side takes at most half of every group while the other has something to do, and all
 * of it otherwise.
 *
 * <p>What comes back from the engine was there first and goes before what waits; a caller's command
 * before the inbox, too. So nothing overtakes within an instance.
 *
 * <p>For whoever drives the engine, one at a time.
 */
final class Turns {
  private final Engine engine;
  private final Inbox inbox;

  /** Callers' commands that have to be worked out once more. */
  private final Deque<Ticket> returned = new ArrayDeque<>();

  /** Messages, and what else the engine does by itself. */
  private final Deque<Ticket> internal = new ArrayDeque<>();

  /** Instances whose timers are due in a store that others write too, the earliest first. */
  private final Deque<Due> due = new ArrayDeque<>();

  /** Whose turn it was. */
  enum Turn {
    NOBODY,
    COMMAND,
    TIMER
  }

  private boolean callersNext = true;
  private boolean timersNext = true;

  Turns(Engine engine, Inbox inbox) {
    this.engine = engine;
    this.inbox = inbox;
    engine.countsArrivals(inbox::arrived);
  }

  /** Takes over what the engine wants to be given. */
  void collect() {
    List<Ticket> back = engine.takeBack();
    for (int i = back.size() - 1; i >= 0; i--) {
      Ticket ticket = back.get(i);
      (ticket.isInternal() ? internal : returned).addFirst(ticket);
    }
    for (Ticket ticket : engine.takeAgain()) {
      (ticket.isInternal() ? internal : returned).addLast(ticket);
    }
  }

  /** Timers that the store says are due. */
  void due(List<Due> found) {
    due.addAll(found);
  }

  /** Whether timers wait that the store said are due. */
  boolean hasDue() {
    return !due.isEmpty();
  }

  /** Leaves timers to whoever opens the store next. */
  void end() {
    due.clear();
  }

  /**
   * Nothing that waits is carried out any more. Callers are told; messages and timers are in the
   * store, and an effect whose result is not is taken up again when its lease is over.
   */
  void giveUp() {
    JournalException failure =
        new JournalException(
            "Expected to finish what waits, but the store goes on failing. Open it again.", null);
    engine.giveUp(failure);
    collect();
    returned.forEach(ticket -> ticket.fail(failure));
    returned.clear();
    internal.clear();
    due.clear();
  }

  boolean callersWait() {
    return !returned.isEmpty() || inbox.size() > 0;
  }

  /** Whether something waits, other than timers that fall due on this node. */
  boolean isEmpty() {
    return !callersWait() && internal.isEmpty() && due.isEmpty();
  }

  /**
   * Works out the command whose turn it is.
   *
   * @param now timers that are due by then have their turn
   */
  Turn next(long now) {
    boolean timers = !due.isEmpty() || engine.isDue(now);
    boolean own = timers || !internal.isEmpty();
    if (callersNext || !own) {
      Ticket ticket = returned.isEmpty() ? inbox.poll() : returned.pollFirst();
      if (ticket != null) {
        callersNext = false;
        engine.submit(ticket);
        return Turn.COMMAND;
      }
    }
    if (!own) {
      return Turn.NOBODY;
    }
    callersNext = true;
    if (timers && (timersNext || internal.isEmpty())) {
      timersNext = false;
      fire();
      return Turn.TIMER;
    }
    timersNext = true;
    engine.submit(internal.removeFirst());
    return Turn.COMMAND;
  }

  private void fire() {
    Due first = due.pollFirst();
    if (first == null) {
      engine.fireFirst();
    } else {
      engine.submit(new Ticket(new Command.Fire(first.instance())));
    }
  }
}
