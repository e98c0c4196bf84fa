package dev.signalbox.services.task;

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
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The task queue of one node. Everything is a call with ids, fences and idempotency keys, so that a
 * worker may be anywhere; what is refused is an answer, and is recorded. Any thread may use it, and
 * no call waits.
 */
public final class TaskQueue implements AutoCloseable {
  /** Waiting tasks that a node remembers; the rest is left in the store until there is room. */
  private static final int MOST_REMEMBERED = 50_000;

  /** The same where others work on the store too, so that what is remembered gets old. */
  private static final int MOST_REMEMBERED_SHARED = 10_000;

  private static final int LONGEST_ERROR = 2_000;

  /** The most tasks that one asking gives. */
  public static final int MOST_AT_ONCE = 100;

  private final Host host;
  private final Dispatcher dispatcher;
  private final Lookout lookout;
  private final Ticker ticker;

  private TaskQueue(Host host, int most) {
    this.host = host;
    host.publish(ServiceMachines.SHELF, Task.MACHINE);
    this.dispatcher = new Dispatcher(host, most, this::lookAt);
    this.lookout = new Lookout(host, dispatcher, most);
    this.ticker = new Ticker("signalbox-tasks", this::tick);
  }

  /** The queue on a runtime, with a thread that looks after it until it is closed. */
  public static TaskQueue open(Host host) {
    TaskQueue queue = stepped(host);
    queue.tick();
    queue.ticker.start();
    return queue;
  }

  /** The queue without a thread: whoever made it calls {@link #tick}. */
  public static TaskQueue stepped(Host host) {
    return stepped(host, host.journal().isShared() ? MOST_REMEMBERED_SHARED : MOST_REMEMBERED);
  }

  /** The same with room for so many waiting tasks. */
  static TaskQueue stepped(Host host, int most) {
    return new TaskQueue(host, most);
  }

  /**
   * Does what the time asks for: retries whose pause is over, workers that waited long enough, what
   * others did to the store.
   *
   * @return in how many milliseconds it should be called again
   */
  public long tick() {
    long next = lookout.pass();
    next = Math.min(next, dispatcher.pass());
    return Math.max(0, next - host.clock().millis());
  }

  private void lookAt(String task) {
    lookout.lookAt(task);
    ticker.wake();
  }

  /** Submits a task; the receipt names it. With a key, the same key gives the same task. */
  public CompletableFuture<Reply> submit(NewTask task, Actor actor) {
    for (String dependency : task.dependsOn()) {
      Instance found = host.find(dependency);
      if (found == null || !found.machine().equals(Task.MACHINE)) {
        return refused(
            Rejection.Code.UNKNOWN_INSTANCE,
            "Expected the task to depend on tasks, but there is no task '%s'."
                .formatted(dependency));
      }
    }
    return host.submitForCaller(
            Task.MACHINE, new Command.Start(Task.MACHINE, null, task.context(), actor, task.key()))
        .whenComplete((reply, _) -> {
          if (reply instanceof Reply.Accepted(Receipt receipt)) {
            if (task.dependsOn().isEmpty() && task.key() == null) {
              dispatcher.offer(Ready.of(receipt.instance(), task, host.clock().millis()));
            } else {
              // It may have been there before, or has to wait for others.
              lookAt(receipt.instance());
            }
          }
        });
  }

  /**
   * Leases tasks to a worker.
   *
   * @param kinds that it takes; empty for all
   * @param most from 1 to {@link #MOST_AT_ONCE}
   * @param start whether they count as started at once; otherwise each has 30 seconds
   * @param wait for how long to wait when there is none
   */
  public CompletableFuture<Polled> take(
      String worker,
      Collection<String> kinds,
      int most,
      boolean start,
      Duration wait,
      Companion companion) {
    if (most < 1 || most > MOST_AT_ONCE) {
      throw new IllegalArgumentException(
          "Expected to take 1 to %d tasks, but was asked for %d.".formatted(MOST_AT_ONCE, most));
    }
    CompletableFuture<Polled> answer = dispatcher.take(worker, kinds, most, start, wait, companion);
    if (!answer.isDone()) {
      ticker.wake();
    }
    return answer;
  }

  /** Lets nothing more be given to the worker. */
  public void forget(String worker) {
    dispatcher.forget(worker);
  }

  /** How many tasks wait here that could be leased, and how many workers wait for one. */
  public Load load() {
    return new Load(dispatcher.size(), dispatcher.waitingClaims());
  }

  /**
   * How much there is to do.
   *
   * @param tasks that wait, as far as this node knows
   * @param workers that wait for tasks here
   */
  public record Load(int tasks, int workers) {}

  /** The worker begins with the task. */
  public CompletableFuture<Reply> started(
      String task, long fence, String worker, @Nullable String key) {
    return send(task, "started", Map.of("fence", fence), Dispatcher.worker(worker), key);
  }

  /** The worker is still at the task; a refusal tells it to stop. */
  public CompletableFuture<Reply> heartbeat(String task, long fence, String worker) {
    return send(task, "heartbeat", Map.of("fence", fence), Dispatcher.worker(worker), null);
  }

  /** The task is done. */
  public CompletableFuture<Reply> succeeded(
      String task, long fence, String worker, @Nullable Object result, @Nullable String key) {
    Map<String, @Nullable Object> data = new LinkedHashMap<>();
    data.put("fence", fence);
    if (result != null) {
      data.put("result", result);
    }
    return send(task, "succeeded", data, Dispatcher.worker(worker), key)
        .whenComplete((_, _) -> {
          if (lookout.isAwaited(task)) {
            lookAt(task);
          }
        });
  }

  /** The task failed; whether it is tried again depends on the cause. */
  public CompletableFuture<Reply> failed(
      String task, long fence, String worker, Cause cause, String error, @Nullable String key) {
    return lookedAt(
        task,
        send(
            task,
            "failed",
            Map.of("fence", fence, "cause", cause.word(), "error", shortened(error)),
            Dispatcher.worker(worker),
            key));
  }

  /** The worker does not begin with the task. */
  public CompletableFuture<Reply> refuse(
      String task, long fence, String worker, String error, @Nullable String key) {
    return lookedAt(
        task,
        send(
            task,
            "refused",
            Map.of("fence", fence, "error", shortened(error)),
            Dispatcher.worker(worker),
            key));
  }

  /** The worker that had the task is gone. */
  public CompletableFuture<Reply> lost(Task task, String why) {
    boolean running = task.state().equals("RUNNING");
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("fence", task.fence());
    data.put("error", shortened(why));
    if (running) {
      data.put("cause", Cause.WORKER_FAILURE.word());
    }
    return lookedAt(
        task.id(), send(task.id(), running ? "failed" : "refused", data, Dispatcher.QUEUE, null));
  }

  /** Ends a task that is not done yet; its worker learns it with its next word. */
  public CompletableFuture<Reply> cancel(
      String task, String reason, Actor actor, @Nullable String key) {
    if (find(task) == null) {
      return unknown(task);
    }
    dispatcher.remove(task);
    return lookedAt(task, send(task, "cancel", Map.of("reason", shortened(reason)), actor, key));
  }

  /** Whoever wanted the result has it. */
  public CompletableFuture<Reply> acknowledge(String task, Actor actor, @Nullable String key) {
    if (find(task) == null) {
      return unknown(task);
    }
    return send(task, "acknowledge", null, actor, key);
  }

  /**
   * Makes a new task from one that failed for good. Asking twice gives the same new task; when that
   * one fails too, it can be retried in turn.
   *
   * @param actor a person: nothing leaves the dead letter by itself
   */
  public CompletableFuture<Reply> retry(String task, Actor actor) {
    Task old = find(task);
    if (old == null) {
      return unknown(task);
    }
    if (actor.kind() != Actor.Kind.USER) {
      return refused(
          Rejection.Code.ROLE_REQUIRED,
          "Expected a person to retry '%s', but '%s' is none. Let somebody decide who can."
              .formatted(task, actor.name()));
    }
    if (!old.outcome().equals("failed")) {
      return refused(
          Rejection.Code.NO_TRANSITION,
          "Expected to retry '%s', but it is %s. Only a task that failed for good is retried."
              .formatted(task, old.outcome().isEmpty() ? "in " + old.state() : old.outcome()));
    }
    return submit(
        new NewTask(
            old.kind(),
            old.owner(),
            old.priority(),
            old.input(),
            List.of(),
            old.limit(),
            old.queueLimit(),
            "retry of " + task,
            task),
        actor);
  }

  /** The task as it stands, or null. */
  public @Nullable Task find(String id) {
    Instance instance = host.find(id);
    return instance == null || !instance.machine().equals(Task.MACHINE) ? null : Task.of(instance);
  }

  /**
   * Tasks in the order in which they were submitted.
   *
   * @param query of any machine; it is asked for tasks alone
   */
  public List<Task> tasks(Query query) {
    return host.instances(query.ofMachine(Task.MACHINE)).stream().map(Task::of).toList();
  }

  private CompletableFuture<Reply> lookedAt(String task, CompletableFuture<Reply> reply) {
    return reply.whenComplete((_, _) -> lookAt(task));
  }

  private CompletableFuture<Reply> send(
      String task, String event, @Nullable Object data, Actor actor, @Nullable String key) {
    return host.submitForCaller(
        Task.MACHINE, new Command.Send(task, event, data, actor, key, null));
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR);
  }

  /** What is no task is not touched, whatever events its machine has. */
  private static CompletableFuture<Reply> unknown(String task) {
    return refused(
        Rejection.Code.UNKNOWN_INSTANCE,
        "Expected a task, but there is no '%s' among them.".formatted(task));
  }

  private static CompletableFuture<Reply> refused(Rejection.Code code, String message) {
    return CompletableFuture.completedFuture(
        new Reply.Rejected(new Rejection(code, message, List.of())));
  }

  /** Ends looking after the queue; what is in the store stays. */
  @Override
  public void close() {
    ticker.close();
  }
}
