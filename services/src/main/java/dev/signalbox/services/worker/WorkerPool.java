package dev.signalbox.services.worker;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.Ticker;
import dev.signalbox.services.task.TaskQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Workers of this process that do tasks with Java handlers: between a least and a most number of
 * them, more when tasks wait and no worker is free, fewer when there has been nothing to do for a
 * while. One that crashes is restarted, after a pause that doubles; what it had in hand is failed
 * as {@code worker_failure}.
 */
public final class WorkerPool implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Duration DRAIN = Duration.ofMinutes(1);
  private static final Duration HEARTBEAT = Duration.ofSeconds(30);
  private static final Duration IDLE = Duration.ofSeconds(30);
  private static final Duration LOOK = Duration.ofSeconds(5);

  private static final Duration ANSWER = Duration.ofSeconds(20);
  private static final Reply UNANSWERED =
      new Reply.Rejected(
          new Rejection(Rejection.Code.BUSY, "Expected an answer, but none came.", List.of()));

  private final Workers workers;
  private final String name;
  private final Map<String, TaskHandler> handlers;
  private final int min;
  private final int max;
  private final Ticker ticker;
  private final List<Place> places = new ArrayList<>();
  private long idleSince = Long.MAX_VALUE;
  private long nextHeartbeat;
  private long nextLook;
  private boolean closing;

  /** A worker's place in the pool: its instance, and its present life. */
  private static final class Place {
    String worker = "";
    volatile @Nullable Slot slot;
    long startAt;
    long killAt = Long.MAX_VALUE;
    boolean restarting;
    boolean leaving;
  }

  private WorkerPool(
      Workers workers, String name, Map<String, TaskHandler> handlers, int min, int max) {
    if (min < 1 || max < min || max > 10_000) {
      throw new IllegalArgumentException(
          "Expected 1 <= min <= max <= 10,000 workers, but found %d and %d.".formatted(min, max));
    }
    if (handlers.isEmpty()) {
      throw new IllegalArgumentException("Expected a handler for at least one kind of task.");
    }
    this.workers = workers;
    this.name = name;
    this.handlers = Map.copyOf(handlers);
    this.min = min;
    this.max = max;
    this.ticker = new Ticker("signalbox-pool-" + name, this::tick);
  }

  /**
   * Starts a pool.
   *
   * @param handlers what does the tasks of each kind
   */
  public static WorkerPool start(
      Workers workers, String name, Map<String, TaskHandler> handlers, int min, int max) {
    WorkerPool pool = new WorkerPool(workers, name, handlers, min, max);
    synchronized (pool) {
      for (int i = 0; i < min; i++) {
        pool.places.add(new Place());
      }
    }
    pool.tick();
    pool.ticker.start();
    return pool;
  }

  /** The workers that the pool has now. */
  public synchronized List<String> workers() {
    return places.stream().map(place -> place.worker).filter(w -> !w.isEmpty()).toList();
  }

  /**
   * Ends a worker at once, as if it had crashed: what it had in hand is failed, and it is
   * restarted.
   *
   * @return false when the pool has no such worker that runs
   */
  public synchronized boolean kill(String worker, String why) {
    for (Place place : places) {
      Slot slot = place.slot;
      if (place.worker.equals(worker) && slot != null && slot.isAlive()) {
        slot.die(why);
        ticker.wake();
        return true;
      }
    }
    return false;
  }

  private synchronized long tick() {
    long now = workers.host().clock().millis();
    boolean beat = now >= nextHeartbeat;
    boolean look = now >= nextLook;
    for (Place place : List.copyOf(places)) {
      look(place, now, look);
      if (beat) {
        heartbeat(place);
      }
    }
    if (beat) {
      nextHeartbeat = now + HEARTBEAT.toMillis();
    }
    if (look) {
      nextLook = now + LOOK.toMillis();
    }
    if (!closing) {
      scale(now);
    }
    return 200;
  }

  private void look(Place place, long now, boolean deeply) {
    Slot slot = place.slot;
    if (slot == null) {
      if (!closing && now >= place.startAt) {
        begin(place);
      }
    } else if (!slot.isAlive()) {
      ended(place, slot, now);
    } else if (now >= place.killAt) {
      slot.die("not done within the time for draining");
    } else {
      slot.enforce(now, deeply);
    }
    if (slot != null && slot.isAlive() && deeply && !place.leaving && !isWanted(place.worker)) {
      leave(place, now);
    }
  }

  /** Whether nobody told the worker to stop meanwhile. */
  private boolean isWanted(String worker) {
    Worker found = workers.find(worker);
    return found == null
        || found.state().equals("READY")
        || found.state().equals("BUSY")
        || found.state().equals("STARTING");
  }

  private void begin(Place place) {
    if (place.restarting) {
      place.restarting = false;
      if (!told(place.worker, "starting")) {
        place.worker = "";
      }
    }
    if (place.worker.isEmpty()) {
      place.worker =
          Workers.id(
              workers.register(name, name, handlers.keySet(), false, Actor.SYSTEM, null).join());
    }
    Slot slot = new Slot(workers, place.worker, handlers, ticker::wake);
    place.slot = slot;
    place.killAt = Long.MAX_VALUE;
    workers.here(place.worker, () -> stopped(place));
    slot.start();
  }

  /** Somebody told the worker to stop. */
  private void stopped(Place place) {
    Slot slot = place.slot;
    if (slot != null) {
      slot.stop();
    }
    ticker.wake();
  }

  private void ended(Place place, Slot slot, long now) {
    place.slot = null;
    String crash = slot.crash();
    if (crash == null) {
      workers.gone(place.worker);
      boolean _ = isAccepted(workers.stopped(place.worker, null));
      forget(place, now);
      return;
    }
    Map<String, Object> data =
        Map.of("error", crash.length() > 500 ? crash.substring(0, 500) : crash);
    Worker found = workers.find(place.worker);
    String state = found == null ? "" : found.state();
    boolean _ =
        isAccepted(
            workers.send(
                place.worker, state.equals("STARTING") ? "start_failed" : "crashed", data));
    boolean restarted = !closing && !place.leaving && told(place.worker, "restart");
    if (restarted) {
      place.restarting = true;
      place.startAt = now + pause(found == null ? 0 : found.restarts());
    } else {
      boolean _ = told(place.worker, "give_up");
      workers.gone(place.worker);
      forget(place, now);
      place.startAt = now + LONGEST_PAUSE.toMillis();
    }
  }

  private static long pause(long restarts) {
    return Math.min(
        LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.clamp(restarts, 0, 10));
  }

  /** The worker is no more; its place is taken by a new one, if it is needed. */
  private void forget(Place place, long now) {
    place.worker = "";
    place.restarting = false;
    if (closing || (place.leaving && places.size() > min)) {
      places.remove(place);
    } else {
      place.leaving = false;
      place.startAt = now;
    }
  }

  private void heartbeat(Place place) {
    Slot slot = place.slot;
    if (slot != null && slot.isAlive()) {
      var _ =
          workers.heartbeat(
              place.worker,
              slot.hand().stream()
                  .map(lease -> new Workers.Held(lease.task(), lease.fence()))
                  .toList());
    }
  }

  private void scale(long now) {
    TaskQueue.Load load = workers.queue().load();
    if (load.tasks() > 0 && load.workers() == 0 && places.size() < max) {
      places.add(new Place());
      ticker.wake();
    }
    if (load.workers() == 0) {
      idleSince = now;
    } else if (idleSince == Long.MAX_VALUE) {
      idleSince = now;
    } else if (now - idleSince >= IDLE.toMillis() && places.size() > min) {
      places.stream()
          .filter(p -> !p.leaving && p.slot != null && !p.slot.isBusy())
          .findFirst()
          .ifPresent(p -> leave(p, now));
    }
  }

  private void leave(Place place, long now) {
    Slot slot = place.slot;
    place.leaving = true;
    place.killAt = now + DRAIN.toMillis();
    if (slot != null) {
      // As long as it asks for tasks it may change between the two; then the other word fits.
      boolean busy = slot.isBusy();
      slot.stop();
      if (!told(place.worker, busy ? "drain" : "shut_down")) {
        boolean _ = told(place.worker, busy ? "shut_down" : "drain");
      }
    }
  }

  private boolean told(String worker, String event) {
    return isAccepted(workers.send(worker, event, null));
  }

  /** Waits for an answer, but not for ever: what is not answered is looked at again later. */
  private static boolean isAccepted(CompletableFuture<Reply> reply) {
    return reply.completeOnTimeout(UNANSWERED, ANSWER.toMillis(), TimeUnit.MILLISECONDS).join()
        instanceof Reply.Accepted;
  }

  /** Lets every worker end after the task it has, for 60 seconds at most. */
  @Override
  public void close() {
    List<Place> last;
    synchronized (this) {
      closing = true;
      long now = workers.host().clock().millis();
      // All of them first: nobody takes another task while the others are told.
      places.forEach(place -> {
        Slot slot = place.slot;
        if (slot != null) {
          slot.stop();
        }
      });
      places.forEach(place -> leave(place, now));
      last = List.copyOf(places);
    }
    List<Thread> ends = new ArrayList<>();
    for (Place place : last) {
      Slot slot = place.slot;
      if (slot != null) {
        ends.add(Thread.ofVirtual().name("signalbox-pool-end").start(() -> join(slot)));
      }
    }
    try {
      for (Thread end : ends) {
        end.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ticker.close();
    synchronized (this) {
      long now = workers.host().clock().millis();
      for (Place place : List.copyOf(places)) {
        Slot slot = place.slot;
        if (slot != null) {
          if (slot.isAlive()) {
            slot.die("not done within the time for draining");
          }
          ended(place, slot, now);
        }
      }
    }
  }

  private static void join(Slot slot) {
    try {
      slot.join(DRAIN);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
