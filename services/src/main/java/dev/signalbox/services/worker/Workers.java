package dev.signalbox.services.worker;

import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.services.Ticker;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a store: their register, and the watch over those that fall silent. Any thread may
 * use it. What may have to wait answers with a future; the other calls read the store.
 */
public final class Workers implements AutoCloseable {
  private final Host host;
  private final TaskQueue queue;
  private final LeaseRescuer rescuer;
  private final Ticker ticker;

  /** Workers of this process, and how they are told to stop. */
  private final Map<String, Runnable> here = new ConcurrentHashMap<>();

  private final Set<String> atWork = ConcurrentHashMap.newKeySet();

  private Workers(Host host, TaskQueue queue) {
    this.host = host;
    this.queue = queue;
    host.publish(ServiceMachines.SHELF, Worker.MACHINE);
    this.rescuer = new LeaseRescuer(host, queue, here.keySet());
    this.ticker = new Ticker("signalbox-workers", this::tick);
  }

  /** The workers on a runtime, with a thread that watches them until it is closed. */
  public static Workers open(Host host, TaskQueue queue) {
    Workers workers = new Workers(host, queue);
    workers.ticker.start();
    return workers;
  }

  /** The workers without a thread: whoever made it calls {@link #tick}. */
  public static Workers stepped(Host host, TaskQueue queue) {
    return new Workers(host, queue);
  }

  /**
   * Looks for workers that are lost, and fails what they had in hand.
   *
   * @return in how many milliseconds it should be called again
   */
  public long tick() {
    return rescuer.pass();
  }

  TaskQueue queue() {
    return queue;
  }

  Host host() {
    return host;
  }

  /**
   * Makes a worker known, in the state STARTING. One that can work says so with {@link #ready}.
   *
   * @param kinds of tasks that it takes; empty for all
   * @param remote whether it is in another process, which nobody here restarts
   * @param key the idempotency key: the same key gives the same worker; or null
   */
  public CompletableFuture<Reply> register(
      String name,
      String pool,
      Collection<String> kinds,
      boolean remote,
      Actor actor,
      @Nullable String key) {
    Map<String, @Nullable Object> context = new LinkedHashMap<>();
    context.put("name", name);
    context.put("pool", pool);
    context.put("kinds", List.copyOf(kinds));
    if (remote) {
      context.put("place", "remote");
    }
    return host.submitForCaller(
        Worker.MACHINE, new Command.Start(Worker.MACHINE, null, context, actor, key));
  }

  /** The worker can take tasks. */
  public CompletableFuture<Reply> ready(String worker, @Nullable String key) {
    return host.submitForCaller(
        Worker.MACHINE, new Command.Send(worker, "ready", null, Seat.actor(worker), key, null));
  }

  /**
   * Gives tasks to a worker that asks. What it has in hand and has not reported it gets again, and
   * nothing else; so an asking whose answer got lost is just repeated.
   *
   * @param most from 1 to {@link TaskQueue#MOST_AT_ONCE}
   * @param start whether the tasks count as started at once; otherwise each has 30 seconds
   * @param wait for how long to wait when there is none
   */
  public CompletableFuture<Polled> poll(String worker, int most, boolean start, Duration wait) {
    Worker found = find(worker);
    if (found == null) {
      return refused(
          Rejection.Code.UNKNOWN_INSTANCE,
          "Expected a worker, but there is no '%s'. Register first.".formatted(worker));
    }
    if (!found.state().equals("READY") && !found.state().equals("BUSY")) {
      return refused(
          Rejection.Code.NO_TRANSITION,
          "Expected worker '%s' to be READY or BUSY, but it is %s. %s"
              .formatted(
                  worker,
                  found.state(),
                  found.isAlive() ? "It gets no tasks." : "Register again as a new worker."));
    }
    List<Lease> held = held(found);
    if (!held.isEmpty()) {
      return CompletableFuture.completedFuture(new Polled.Granted(held));
    }
    return poll(new Seat(host, worker, found.tasks()), found.kinds(), most, start, wait);
  }

  CompletableFuture<Polled> poll(
      Seat seat, Collection<String> kinds, int most, boolean start, Duration wait) {
    return queue.take(seat.worker(), kinds, most, start, wait, seat);
  }

  private List<Lease> held(Worker worker) {
    List<Lease> held = new ArrayList<>();
    for (String id : worker.tasks()) {
      Task task = queue.find(id);
      if (task != null && task.isLeased() && task.worker().equals(worker.id())) {
        boolean started = task.state().equals("RUNNING");
        held.add(
            new Lease(
                id,
                task.fence(),
                worker.id(),
                started,
                task.kind(),
                task.owner(),
                task.priority(),
                task.input(),
                task.limit(),
                started ? task.executions() : task.executions() + 1));
      }
    }
    return held;
  }

  /**
   * A sign of life, for the worker and the tasks it is at.
   *
   * @return the tasks that are not the worker's any more, so that it stops working on them; or why
   *     the worker itself is refused
   */
  public CompletableFuture<Heard> heartbeat(String worker, Collection<Held> tasks) {
    CompletableFuture<Reply> own =
        host.submitForCaller(
            Worker.MACHINE,
            new Command.Send(worker, "heartbeat", null, Seat.actor(worker), null, null));
    Map<String, CompletableFuture<Reply>> each = new LinkedHashMap<>();
    tasks.forEach(t -> each.put(t.task(), queue.heartbeat(t.task(), t.fence(), worker)));
    List<CompletableFuture<Reply>> all = new ArrayList<>(each.values());
    all.add(own);
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(_ -> {
          List<String> gone =
              each.entrySet().stream()
                  .filter(e -> e.getValue().join() instanceof Reply.Rejected)
                  .map(Map.Entry::getKey)
                  .toList();
          return new Heard(
              gone, own.join() instanceof Reply.Rejected(Rejection rejection) ? rejection : null);
        });
  }

  /** A task that a worker is at, under the fence of its lease. */
  public record Held(String task, long fence) {}

  /**
   * What came of a sign of life.
   *
   * @param gone tasks that are not the worker's any more
   * @param refused why the worker itself is refused, for instance because it was taken for lost; or
   *     null
   */
  public record Heard(List<String> gone, @Nullable Rejection refused) {}

  /** The worker itself wants to end after what it has in hand, within 60 seconds. */
  public CompletableFuture<Reply> drain(String worker) {
    return drain(worker, Seat.actor(worker));
  }

  /** Lets a worker end after what it has in hand, within 60 seconds. */
  public CompletableFuture<Reply> drain(String worker, Actor actor) {
    Worker found = find(worker);
    if (found == null) {
      return CompletableFuture.completedFuture(
          new Reply.Rejected(
              new Rejection(
                  Rejection.Code.UNKNOWN_INSTANCE,
                  "Expected a worker, but there is no '%s' among them.".formatted(worker),
                  List.of())));
    }
    String event = found.state().equals("BUSY") ? "drain" : "shut_down";
    return host.submitForCaller(Worker.MACHINE, Command.Send.of(worker, event, null).by(actor))
        .whenComplete((reply, _) -> {
          Runnable stop = here.get(worker);
          if (reply instanceof Reply.Accepted && stop != null) {
            stop.run();
          }
          queue.forget(worker);
        });
  }

  /** The worker has ended, as it was told to. */
  public CompletableFuture<Reply> stopped(String worker, @Nullable String key) {
    queue.forget(worker);
    return host.submitForCaller(
        Worker.MACHINE, new Command.Send(worker, "stopped", null, Seat.actor(worker), key, null));
  }

  /** The worker as it stands, or null. */
  public @Nullable Worker find(String id) {
    Instance instance = host.find(id);
    return instance == null || !instance.machine().equals(Worker.MACHINE)
        ? null
        : Worker.of(instance);
  }

  /**
   * Workers in the order in which they were registered.
   *
   * @param query of any machine; it is asked for workers alone
   */
  public List<Worker> workers(Query query) {
    return host.instances(query.ofMachine(Worker.MACHINE)).stream().map(Worker::of).toList();
  }

  /** A task is begun in this process; false while an earlier execution of it has not ended. */
  boolean begins(String task) {
    return atWork.add(task);
  }

  void ends(String task) {
    atWork.remove(task);
  }

  /** A worker of this process is there, and is told to stop like this. */
  void here(String worker, Runnable stop) {
    here.put(worker, stop);
  }

  void gone(String worker) {
    here.remove(worker);
    queue.forget(worker);
  }

  CompletableFuture<Reply> send(String worker, String event, @Nullable Object data) {
    return host.submitForCaller(Worker.MACHINE, Command.Send.of(worker, event, data));
  }

  /** The id that a reply to a registration gives. */
  static String id(Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> receipt.instance();
      case Reply.Rejected(Rejection rejection) ->
          throw new IllegalStateException(rejection.message());
    };
  }

  private static CompletableFuture<Polled> refused(Rejection.Code code, String message) {
    return CompletableFuture.completedFuture(
        new Polled.Refused(new Rejection(code, message, List.of())));
  }

  /** Ends the watch; what is in the store stays. */
  @Override
  public void close() {
    ticker.close();
  }
}
