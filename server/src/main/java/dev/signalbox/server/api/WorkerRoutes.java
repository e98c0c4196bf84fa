package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import dev.signalbox.services.task.Cause;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Worker;
import dev.signalbox.services.worker.Workers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Routes by which workers of other processes take tasks and report. A worker is its caller's:
 * nobody else but an operator speaks for it.
 */
public final class WorkerRoutes {
  private static final String MACHINE = "worker";
  private static final long LONGEST_WAIT_MS = 20_000;

  private final TaskQueue queue;
  private final Workers workers;

  public WorkerRoutes(TaskQueue queue, Workers workers) {
    this.queue = queue;
    this.workers = workers;
  }

  public List<Route> routes() {
    Schema receipt = Schema.named("Receipt");
    Schema report = Schema.object().field("task", Schema.TEXT).field("fence", Schema.WHOLE);
    return List.of(
        Route.get("/workers", "Workers, the youngest first")
            .anyone()
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("workers", Schema.listOf(Schema.named("Worker"))))
            .by(this::list),
        Route.post("/workers", "Make a worker of the caller's known")
            .may(AGENT, OPERATOR, ADMIN)
            .keyed("the same key gives the same worker")
            .takes(
                Schema.object()
                    .maybe("pool", Schema.TEXT)
                    .maybe("kinds", Schema.listOf(Schema.TEXT)))
            .gives(201, "Known; it says 'ready' next", receipt)
            .by(this::register),
        Route.post("/workers/{id}/ready", "It can take tasks")
            .may(AGENT, OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> Replies.receipt(workers.ready(own(r).id(), key(r)))),
        Route.post("/workers/{id}/poll", "Lease tasks, waiting a while when there is none")
            .withoutKey()
            .may(AGENT, OPERATOR, ADMIN)
            .takes(
                Schema.object()
                    .maybe("most", Schema.WHOLE.described("1 to 100; 1 if not said"))
                    .maybe("wait_ms", Schema.WHOLE.described("at most 20000; 0 if not said")))
            .gives(Schema.object().field("leases", Schema.listOf(Schema.OBJECT)))
            .by(this::poll),
        Route.post("/workers/{id}/heartbeat", "A sign of life, for it and the tasks it is at")
            .withoutKey()
            .may(AGENT, OPERATOR, ADMIN)
            .takes(Schema.object().maybe("tasks", Schema.listOf(report)))
            .gives(
                Schema.object()
                    .field("gone", Schema.listOf(Schema.TEXT).described("not its any more")))
            .by(this::heartbeat),
        Route.post("/workers/{id}/succeeded", "A task is done")
            .may(AGENT, OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .takes(report.maybe("result", Schema.ANY))
            .gives(receipt)
            .by(this::succeeded),
        Route.post("/workers/{id}/failed", "A task failed; the cause says whether to try again")
            .may(AGENT, OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .takes(report.field("cause", Schema.TEXT).maybe("error", Schema.TEXT))
            .gives(receipt)
            .by(this::failed),
        Route.post("/workers/{id}/drain", "Let it end after what it has in hand")
            .may(AGENT, OPERATOR, ADMIN)
            .gives(receipt)
            .by(this::drain),
        Route.post("/workers/{id}/stopped", "It was drained, and has ended")
            .may(AGENT, OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> Replies.receipt(workers.stopped(own(r).id(), key(r)))));
  }

  private static @Nullable String key(Request request) {
    return InstanceRoutes.key(request.header("Idempotency-Key"));
  }

  private Worker own(Request request) {
    Replies.check(request, MACHINE);
    Worker worker = workers.find(request.path("id"));
    if (worker == null) {
      throw ProblemException.notFound("Expected a worker, but there is no such one.");
    }
    if (!worker.name().equals(request.caller().name())
        && !request.caller().hasAny(Set.of(OPERATOR, ADMIN))) {
      throw ProblemException.forbidden(
          "Expected a worker of '%s', but it is another's.".formatted(request.caller().name()),
          "Register one of your own.");
    }
    return worker;
  }

  private Response list(Request request) {
    Replies.check(request, MACHINE);
    Query query = Query.ALL.newest().page(0, (int) request.number("most", 100, 1, Query.MOST));
    return Response.json(
        Map.of("workers", workers.workers(query).stream().map(WorkerRoutes::view).toList()));
  }

  private Response register(Request request) throws IOException {
    Replies.check(request, MACHINE);
    Fields body = request.fields().only("pool", "kinds");
    String pool = body.textOrNull("pool");
    return Replies.receipt(
            workers.register(
                request.caller().name(),
                pool == null ? "" : pool,
                body.texts("kinds"),
                true,
                request.caller().actor(),
                key(request)))
        .status(201);
  }

  private Response poll(Request request) throws IOException {
    String id = own(request).id();
    Fields body = request.fields().only("most", "wait_ms");
    Long most = body.numberOrNull("most");
    Long wait = body.numberOrNull("wait_ms");
    if ((most != null && (most < 1 || most > TaskQueue.MOST_AT_ONCE))
        || (wait != null && (wait < 0 || wait > LONGEST_WAIT_MS))) {
      throw ProblemException.badRequest(
          "Expected 'most' from 1 to %d and 'wait_ms' from 0 to %d, but found others."
              .formatted(TaskQueue.MOST_AT_ONCE, LONGEST_WAIT_MS));
    }
    Polled polled =
        Replies.joined(
            workers.poll(
                id,
                most == null ? 1 : most.intValue(),
                true,
                Duration.ofMillis(wait == null ? 0 : wait)));
    return switch (polled) {
      case Polled.Granted(List<Lease> leases) ->
          Response.json(Map.of("leases", leases.stream().map(WorkerRoutes::view).toList()));
      case Polled.Refused(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  private Response heartbeat(Request request) throws IOException {
    String id = own(request).id();
    List<Workers.Held> held = new ArrayList<>();
    List<String> gone = new ArrayList<>();
    if (request.fields().only("tasks").value("tasks") instanceof List<?> tasks) {
      for (Object one : tasks) {
        Fields fields = Fields.of(one).only("task", "fence");
        Task task = queue.find(fields.text("task"));
        if (task == null || isAnothers(task, fence(fields), id)) {
          gone.add(fields.text("task"));
        } else {
          held.add(new Workers.Held(fields.text("task"), fence(fields)));
        }
      }
    }
    Workers.Heard heard = Replies.joined(workers.heartbeat(id, held));
    if (heard.refused() != null) {
      throw new RejectedException(heard.refused());
    }
    gone.addAll(heard.gone());
    return Response.json(Map.of("gone", gone));
  }

  /**
   * The task of a report, which nothing else may stand in for, unless another worker has it under
   * that fence: a fence is no secret, so whoever knows one could report for another. A report that
   * comes late the queue itself refuses.
   */
  private String held(Fields body, String worker) {
    String id = body.text("task");
    Task task = queue.find(id);
    if (task == null) {
      throw ProblemException.notFound("Expected a task, but there is no such one.");
    }
    if (isAnothers(task, fence(body), worker)) {
      throw ProblemException.forbidden(
          "Expected a task that the worker has, but another has it.",
          "Report what it was given by 'poll'.");
    }
    return id;
  }

  private static boolean isAnothers(Task task, long fence, String worker) {
    return task.fence() == fence && !task.worker().equals(worker);
  }

  private static long fence(Fields fields) {
    Long fence = fields.numberOrNull("fence");
    if (fence == null) {
      throw ProblemException.badRequest("Expected the lease's 'fence', but it is missing.");
    }
    return fence;
  }

  private Response succeeded(Request request) throws IOException {
    String id = own(request).id();
    Fields body = request.fields().only("task", "fence", "result");
    return Replies.receipt(
        queue.succeeded(held(body, id), fence(body), id, body.value("result"), key(request)));
  }

  private Response failed(Request request) throws IOException {
    String id = own(request).id();
    Fields body = request.fields().only("task", "fence", "cause", "error");
    Cause cause;
    try {
      cause = Cause.of(body.text("cause"));
    } catch (IllegalArgumentException e) {
      throw ProblemException.badRequest(String.valueOf(e.getMessage()));
    }
    String error = body.textOrNull("error");
    return Replies.receipt(
        queue.failed(
            held(body, id), fence(body), id, cause, error == null ? "" : error, key(request)));
  }

  private Response drain(Request request) {
    String id = own(request).id();
    return Replies.receipt(
        request.caller().hasAny(Set.of(OPERATOR, ADMIN))
            ? workers.drain(id, request.caller().actor())
            : workers.drain(id));
  }

  private static Map<String, @Nullable Object> view(Worker worker) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", worker.id());
    view.put("name", worker.name());
    view.put("pool", worker.pool());
    view.put("remote", worker.remote());
    view.put("state", worker.state());
    view.put("kinds", worker.kinds());
    view.put("tasks", worker.tasks());
    view.put("restarts", worker.restarts());
    view.put("last_heartbeat", worker.lastHeartbeat());
    view.put("error", worker.error());
    view.put("since", worker.since());
    return view;
  }

  private static Map<String, @Nullable Object> view(Lease lease) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("task", lease.task());
    view.put("fence", lease.fence());
    view.put("kind", lease.kind());
    view.put("owner", lease.owner());
    view.put("priority", lease.priority().word());
    view.put("input", lease.input());
    view.put("limit_ms", lease.limit().toMillis());
    view.put("execution", lease.execution());
    return view;
  }
}
