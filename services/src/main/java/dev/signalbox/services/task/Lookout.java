package dev.signalbox.services.task;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Learns from the store what waits: everything at the start, later what was not done from here. It
 * spends a small part of its time on that, so the fuller the store the less often it is read whole.
 *
 * <p>It also knows the tasks that wait for others, and lets them go when those are complete. For
 * one thread at a time, but for {@link #lookAt}.
 */
final class Lookout {
  private static final int PAGE = 1_000;
  private static final long OFTEN = 250;
  private static final long SELDOM = 1_000;
  private static final int SHARE = 20;
  private static final long WHOLE = 60_000;
  private static final String FIRST = "QUEUED";
  private static final List<String> WAITING = List.of(FIRST, "RETRY_QUEUED");

  private final Host host;
  private final Dispatcher dispatcher;
  private final int most;
  private final Queue<String> toLook = new ConcurrentLinkedQueue<>();

  /** What waits for other tasks, and for which. */
  private final Map<String, Set<String>> blocked = new HashMap<>();

  private final Map<String, Set<String>> waitingFor = new HashMap<>();
  private long nextReading;
  private long nextReview;

  /** No task that waits for the first time has this number or a lower one. */
  private long begun;

  /** Where the last reading of those that wait for the first time ran out of room; 0 if not. */
  private long readUpTo;

  private long nextWhole;

  Lookout(Host host, Dispatcher dispatcher, int most) {
    this.host = host;
    this.dispatcher = dispatcher;
    this.most = most;
  }

  /** Something happened to the task that has to be read. Any thread. */
  void lookAt(String task) {
    toLook.add(task);
  }

  /** Whether tasks are waiting for this one. Any thread; a hint. */
  boolean isAwaited(String task) {
    synchronized (waitingFor) {
      return waitingFor.containsKey(task);
    }
  }

  /**
   * Does what there is to do now.
   *
   * @return when to come again
   */
  long pass() {
    for (String task = toLook.poll(); task != null; task = toLook.poll()) {
      look(task);
    }
    long now = host.clock().millis();
    if (now >= nextWhole) {
      begun = 0;
      nextWhole = now + WHOLE;
    }
    boolean behind = readUpTo > 0 && !dispatcher.wantsRetries();
    if (now < nextReading && behind && dispatcher.wantsMore(most / 2)) {
      readOn();
    } else if (now >= nextReading || dispatcher.wantsMore(most / 2)) {
      readAll();
      long took = host.clock().millis() - now;
      nextReading = now + took + Math.max(host.journal().isShared() ? OFTEN : SELDOM, took * SHARE);
    }
    if (now >= nextReview) {
      review();
      nextReview = now + SELDOM;
    }
    return Math.min(nextReading, nextReview);
  }

  /** Every task that waits, as far as there is room for them. */
  private void readAll() {
    Set<String> seen = new HashSet<>();
    boolean complete = true;
    dispatcher.readingBegins(true);
    try {
      for (String state : WAITING) {
        complete &= read(state, seen);
      }
    } catch (RuntimeException e) {
      complete = false;
      throw e;
    } finally {
      dispatcher.readingEnds(seen, complete, readUpTo);
    }
  }

  /**
   * Fills up with what comes behind the last reading, which had no room for it. What else there may
   * be, the next reading of everything finds.
   */
  private void readOn() {
    dispatcher.readingBegins(false);
    try {
      boolean room = true;
      while (room && readUpTo > 0) {
        List<InstanceRow> page = page(FIRST, readUpTo);
        long without = offer(page);
        room = without == Dispatcher.NONE && dispatcher.firsts() < most;
        readUpTo =
            without != Dispatcher.NONE
                ? without - 1
                : page.size() < PAGE ? 0 : page.getLast().number();
      }
    } finally {
      dispatcher.readingEnds(Set.of(), readUpTo == 0, 0);
    }
  }

  private List<InstanceRow> page(String state, long after) {
    return host.journal().query(Query.ALL.ofMachine(Task.MACHINE).in(state).page(after, PAGE));
  }

  /** Every task in the state, as far as there is room; says whether that were all. */
  private boolean read(String state, Set<String> seen) {
    boolean first = state.equals(FIRST);
    long after = first ? begun : 0;
    boolean begins = first;
    int read = 0;
    while (true) {
      List<InstanceRow> page = page(state, after);
      read += page.size();
      if (begins && !page.isEmpty()) {
        // Tasks are born into this state and don't come back to it, so what is before is over.
        begun = page.getFirst().number() - 1;
        begins = false;
      }
      long without = offer(page);
      page.forEach(row -> seen.add(row.id()));
      boolean room = without == Dispatcher.NONE;
      boolean all = room && page.size() < PAGE;
      if (!page.isEmpty()) {
        after = room ? page.getLast().number() : without - 1;
      }
      boolean enough = read >= most || (first && dispatcher.firsts() >= most);
      if (all || !room || enough) {
        if (first) {
          readUpTo = all ? 0 : after;
        }
        return all;
      }
    }
  }

  /**
   * Offers what is new; of what is known already not even the context is read.
   *
   * @return the number of the first for which there was no room, or {@link Dispatcher#NONE}
   */
  private long offer(List<InstanceRow> page) {
    List<Ready> free = new ArrayList<>();
    for (InstanceRow row : dispatcher.unknown(page)) {
      Instance instance = host.view(row);
      Task task = Task.of(instance);
      if (instance.status().equals("live") && isFree(task)) {
        free.add(Ready.of(task, row.number()));
      }
    }
    return dispatcher.offerRead(free);
  }

  private void look(String id) {
    Set<String> dependents;
    synchronized (waitingFor) {
      dependents = waitingFor.remove(id);
    }
    if (dependents != null) {
      dependents.forEach(this::lookAt);
    }
    Instance instance = host.find(id);
    if (instance == null || !instance.machine().equals(Task.MACHINE)) {
      return;
    }
    Task task = Task.of(instance);
    if (!task.isWaiting()) {
      unblock(id);
      dispatcher.remove(id);
    } else if (instance.status().equals("live") && isFree(task)) {
      dispatcher.offer(Ready.of(task, 0));
    }
  }

  /** Whether everything that the task waits for is complete; what never will be cancels it. */
  private boolean isFree(Task task) {
    if (task.dependsOn().isEmpty()) {
      return true;
    }
    Set<String> open = new HashSet<>();
    for (String id : task.dependsOn()) {
      String outcome = outcome(id);
      switch (outcome) {
        case "completed" -> {}
        case "" -> open.add(id);
        default -> {
          unblock(task.id());
          cancel(task.id(), "'%s', which it depends on, is %s".formatted(id, outcome));
          return false;
        }
      }
    }
    if (open.isEmpty()) {
      unblock(task.id());
      return true;
    }
    blocked.put(task.id(), open);
    synchronized (waitingFor) {
      open.forEach(id -> waitingFor.computeIfAbsent(id, _ -> new HashSet<>()).add(task.id()));
    }
    if (open.stream().anyMatch(id -> !outcome(id).isEmpty())) {
      // It ended before anybody knew that it is waited for.
      lookAt(task.id());
    }
    return false;
  }

  /** How the task ended; empty while it is open. */
  private String outcome(String id) {
    Instance instance = host.find(id);
    return instance == null ? "gone" : Task.of(instance).outcome();
  }

  private void cancel(String task, String reason) {
    var _ =
        host.submitForCaller(
            Task.MACHINE,
            Command.Send.of(task, "cancel", Map.of("reason", reason)).by(Dispatcher.QUEUE));
  }

  private void unblock(String task) {
    Set<String> open = blocked.remove(task);
    if (open != null) {
      synchronized (waitingFor) {
        for (String id : open) {
          Set<String> dependents = waitingFor.get(id);
          if (dependents != null && dependents.remove(task) && dependents.isEmpty()) {
            waitingFor.remove(id);
          }
        }
      }
    }
  }

  /** Looks at some of those that wait for others, in case these ended elsewhere. */
  private void review() {
    List.copyOf(blocked.keySet()).stream().limit(PAGE).forEach(this::look);
  }
}
