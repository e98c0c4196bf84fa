package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.journal.Query;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import dev.signalbox.services.task.NewTask;
import dev.signalbox.services.task.Priority;
import dev.signalbox.services.task.Task;
import dev.signalbox.services.task.TaskQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes over tasks. */
public final class TaskRoutes {
  private static final String TASK = "task";

  private final TaskQueue queue;

  public TaskRoutes(TaskQueue queue) {
    this.queue = queue;
  }

  public List<Route> routes() {
    Schema task = Schema.named("Task");
    Schema receipt = Schema.named("Receipt");
    return List.of(
        Route.get("/tasks", "Tasks, the youngest first")
            .anyone()
            .query("state", Schema.TEXT, "in that state")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("tasks", Schema.listOf(task)))
            .by(this::list),
        Route.post("/tasks", "Submit a task")
            .may(OPERATOR, AGENT, ADMIN)
            .keyed("the same key gives the same task")
            .takes(
                Schema.object()
                    .field("kind", Schema.TEXT)
                    .maybe("priority", Schema.oneOf("low", "normal", "high"))
                    .maybe("input", Schema.ANY)
                    .maybe("depends_on", Schema.listOf(Schema.TEXT))
                    .maybe("limit_ms", Schema.WHOLE))
            .gives(201, "Submitted", receipt)
            .by(this::submit),
        Route.get("/tasks/{id}", "A task as it stands")
            .anyone()
            .gives(task)
            .by(r -> Response.json(view(found(r)))),
        Route.post("/tasks/{id}/cancel", "End a task that is not done yet")
            .may(OPERATOR, ADMIN)
            .keyed("the same key gives the same answer")
            .takes(Schema.object().field("reason", Schema.TEXT))
            .gives(receipt)
            .by(r -> {
              String id = found(r).id();
              String reason = r.fields().only("reason").text("reason");
              return Replies.receipt(
                  queue.cancel(
                      id,
                      reason,
                      r.caller().actor(),
                      InstanceRoutes.key(r.header("Idempotency-Key"))));
            }),
        Route.post("/tasks/{id}/retry", "Make a new task from one that failed for good")
            .may(OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> {
              String id = found(r).id();
              return Replies.receipt(Replies.checked(() -> queue.retry(id, r.caller().actor())));
            }));
  }

  private static Query page(Request request) {
    return Query.ALL.newest().page(0, (int) request.number("most", 100, 1, Query.MOST));
  }

  private Response list(Request request) {
    Replies.check(request, TASK);
    String state = request.query("state");
    Query query = state == null ? page(request) : page(request).in(state);
    return Response.json(
        Map.of("tasks", queue.tasks(query).stream().map(TaskRoutes::view).toList()));
  }

  private Task found(Request request) {
    Replies.check(request, TASK);
    Task task = queue.find(request.path("id"));
    if (task == null) {
      throw ProblemException.notFound("Expected a task, but there is no such one.");
    }
    return task;
  }

  private Response submit(Request request) throws IOException {
    Replies.check(request, TASK);
    Fields body = request.fields().only("kind", "priority", "input", "depends_on", "limit_ms");
    Long limit = body.numberOrNull("limit_ms");
    String word = body.textOrNull("priority");
    NewTask task;
    try {
      task =
          new NewTask(
              body.text("kind"),
              request.caller().name(),
              word == null ? Priority.NORMAL : Priority.of(word),
              body.value("input"),
              body.texts("depends_on"),
              limit == null ? null : Duration.ofMillis(limit),
              null,
              InstanceRoutes.key(request.header("Idempotency-Key")),
              "");
    } catch (IllegalArgumentException e) {
      throw ProblemException.badRequest(String.valueOf(e.getMessage()));
    }
    return Replies.receipt(queue.submit(task, request.caller().actor())).status(201);
  }

  static Map<String, @Nullable Object> view(Task task) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("id", task.id());
    view.put("kind", task.kind());
    view.put("owner", task.owner());
    view.put("priority", task.priority().word());
    view.put("state", task.state());
    view.put("outcome", task.outcome());
    view.put("input", task.input());
    view.put("result", task.result());
    view.put("depends_on", task.dependsOn());
    view.put("limit_ms", task.limit().toMillis());
    view.put("worker", task.worker());
    view.put("fence", task.fence());
    view.put("executions", task.executions());
    view.put("retries", task.retries());
    view.put("error", task.error());
    view.put("since", task.since());
    return view;
  }
}
