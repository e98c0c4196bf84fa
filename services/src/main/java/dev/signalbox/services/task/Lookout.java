package dev.signalbox.services.task;

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
  private static final List<String> WAITING = List.of("QUEUED", "RETRY_QUEUED");

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
    if (now >= nextReading || dispatcher.wantsMore(most / 2)) {
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
      dispatcher.readingEnds(seen, complete);
    }
  }

  /** Every task in the state, as far as there is room; says whether that were all. */
  private boolean read(String state, Set<String> seen) {
    boolean first = state.equals("QUEUED");
    long after = first ? begun : 0;
    while (true) {
      List<Instance> page =
          host.instances(Query.ALL.ofMachine(Task.MACHINE).in(state).page(after, PAGE));
      if (first && !page.isEmpty()) {
        // Tasks are born into this state and don't come back to it, so what is before is over.
        begun = page.getFirst().number() - 1;
        first = false;
      }
      offer(page);
      page.forEach(instance -> seen.add(instance.id()));
      if (page.size() < PAGE) {
        return true;
      }
      if (seen.size() >= most || dispatcher.size() >= most) {
        return false;
      }
      after = page.getLast().number();
    }
  }

  private void offer(List<Instance> page) {
    List<Ready> free = new ArrayList<>(page.size());
    for (Instance instance : page) {
      Task task = Task.of(instance);
      if (instance.status().equals("live") && isFree(task)) {
        free.add(Ready.of(task));
      }
    }
    dispatcher.offerRead(free);
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
      dispatcher.offer(Ready.of(task));
    }
  }

  /** Whether everything that the task waits for is complete; what never will be cancels it. */
  private boolean isFree(Task task) {
    if (task.dependsOn().isEmpty()) {
      return true;
    }
    Set<String> open = new HashSet<>();
    for (String id : task.dependsOn()) {
      Instance instance = host.find(id);
      String outcome = instance == null ? "gone" : Task.of(instance).outcome();
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
    return false;
  }

  private void cancel(String task, String reason) {
    var _ =
        host.submitAsync(
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
