package dev.signalbox.systems.runs;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import dev.signalbox.systems.runs.frozen.FrozenPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The runs over HTTP, below {@code /runs/}. */
final class RunRoutes {
  private static final Schema TEXTS = Schema.listOf(Schema.TEXT);
  private static final Schema TIME = Schema.TEXT.put("format", "date-time");
  private static final Schema EVIDENCE =
      Schema.object()
          .field("name", Schema.TEXT)
          .field("sha256", Schema.TEXT)
          .field("bytes", Schema.WHOLE);
  private static final Schema PLAN =
      Schema.object()
          .maybe("plan", Schema.TEXT.described("a plan in YAML; or the next three"))
          .maybe(
              "manifest", Schema.TEXT.described("the manifest of a frozen plan, as it lies there"))
          .maybe("graph", Schema.TEXT.described("its execution graph, as it lies there"))
          .maybe("tools", Schema.TEXT.described("the tool book in YAML; see docs/frozen-plans.md"))
          .maybe("base", Schema.TEXT.described("what the plan's folder is relative to"));
  private static final Schema SUMMARY =
      Schema.object()
          .field("run_id", Schema.TEXT)
          .field("project_id", Schema.TEXT)
          .field("environment", Schema.oneOf("dev", "staging", "prod"))
          .field("state", Schema.oneOf(Runs.STATES.toArray(String[]::new)))
          .field("substate", Schema.TEXT.described("the innermost state, such as executing_tools"))
          .field("status", Schema.oneOf("live", "paused", "halted", "ended"))
          .field(
              "final_status",
              Schema.oneOf(
                  "", "ALL_CLEAR", "OK_WITH_WARNINGS", "STOPPED", "FAILED", "FAILED_VERIFY"))
          .field("failure", Schema.TEXT.described("why it did not complete; empty when it did"))
          .field("current_tool", Schema.TEXT)
          .field("tools_planned", TEXTS)
          .field("tools_completed", TEXTS)
          .field("tools_remaining", TEXTS)
          .field("approvals_pending", TEXTS)
          .field("approvals_granted", TEXTS)
          .field("since", TIME)
          .field("sequence", Schema.WHOLE)
          .field("number", Schema.WHOLE.described("for the parameter 'after' of the next page"));
  private static final Schema ATTEMPT =
      Schema.object()
          .field("attempt", Schema.WHOLE)
          .field(
              "status",
              Schema.oneOf("running", "pass", "fail", "needs_approval", "halted", "unknown"))
          .field("started_at", TIME)
          .maybe("ended_at", TIME)
          .maybe("evidence", Schema.listOf(EVIDENCE))
          .maybe("message", Schema.TEXT)
          .maybe(
              "result", Schema.ANY.described("checked, assumed, not_tested, risks, next_actions"))
          .maybe("model_calls", Schema.WHOLE)
          .maybe("tokens", Schema.WHOLE)
          .maybe("files", Schema.WHOLE);
  private static final Schema TOOL =
      Schema.object()
          .field("name", Schema.TEXT)
          .field("kind", Schema.oneOf("command", "http", "mcp", "handler"))
          .field("access", Schema.oneOf("read", "write", "test"))
          .field("risk", Schema.oneOf("low", "medium", "high", "critical"))
          .field("approval", Schema.FLAG.described("whether a person is asked before it runs"))
          .field("why", Schema.TEXT)
          .field("writes", TEXTS)
          .field("spec", Schema.OBJECT)
          .field("arguments", Schema.OBJECT)
          .maybe(
              "approvers",
              Schema.OBJECT.described(
                  "who may approve it: its own, or the plan's; a check has none"))
          .field(
              "status",
              Schema.oneOf(
                  "planned",
                  "running",
                  "pass",
                  "fail",
                  "needs_approval",
                  "halted",
                  "unknown",
                  "undone",
                  "not_undone"))
          .field("attempts", Schema.listOf(ATTEMPT));
  private static final Schema STORY =
      SUMMARY
          .field("created_at", TIME)
          .field("updated_at", TIME)
          .field("requested_by", Schema.OBJECT)
          .field("plan_digest", Schema.TEXT)
          .field("plan_approved_by", Schema.TEXT)
          .field(
              "plan", Schema.OBJECT.described("the frozen plan, with what the policy says of it"))
          .field("tree_before", Schema.TEXT.described("the hash of the folder before the run"))
          .field("asked_because", Schema.TEXT)
          .field("state_history", Schema.listOf(Schema.OBJECT))
          .field("tools", Schema.listOf(TOOL))
          .field("checks", Schema.listOf(TOOL))
          .field("verdicts", Schema.listOf(Schema.OBJECT))
          .field("approvals", TEXTS.described("the ids of everything it asked people"))
          .field(
              "requests",
              Schema.listOf(Schema.OBJECT)
                  .described("what it asked people, with the digest, and who said what"))
          .field("rollback", Schema.listOf(Schema.OBJECT))
          .field("undo_remaining", TEXTS)
          .field("limits", Schema.OBJECT)
          .field("usage", Schema.OBJECT)
          .field("deadlines", Schema.listOf(Schema.OBJECT));

  private final Runs runs;
  private final RunsSettings settings;

  RunRoutes(Runs runs, RunsSettings settings) {
    this.runs = runs;
    this.settings = settings;
  }

  List<Route> routes() {
    Schema receipt = Schema.named("Receipt");
    Schema reasoned = Schema.object().field("reason", Schema.TEXT);
    return List.of(
        Route.get("/runs", "Runs, the oldest first")
            .anyone()
            .query("project", Schema.TEXT, "only that project's")
            .query("state", Schema.oneOf(Runs.STATES.toArray(String[]::new)), "only those in it")
            .query("live", Schema.FLAG, "only those that have not ended")
            .query("after", Schema.WHOLE, "the number of the last one of the page before")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("runs", Schema.listOf(SUMMARY)))
            .by(this::list),
        Route.post("/runs", "Start a run of a plan")
            .may(OPERATOR, AGENT, ADMIN)
            .takes("application/yaml", Schema.TEXT.described("a plan; see docs/runs.md"))
            .takes(PLAN)
            .gives(201, "It is started", Schema.object().field("run_id", Schema.TEXT))
            .by(this::start),
        Route.post("/runs/check", "Read a plan and say what the policy says of it")
            .changingNothing()
            .anyone()
            .takes("application/yaml", Schema.TEXT)
            .takes(PLAN)
            .gives(
                Schema.object()
                    .field(
                        "plan",
                        Schema.OBJECT.described(
                            "as it would be frozen; a tool of it has 'approvers' where it says its"
                                + " own"))
                    .field("digest", Schema.TEXT))
            .by(r -> judged(r)),
        Route.get(
                "/runs/{id}",
                "A run: its tools as a timeline, evidence, approvals, verdicts, rollback")
            .anyone()
            .gives(STORY)
            .by(r -> Response.json(story(r))),
        Route.get("/runs/{id}/evidence/{sha256}", "A piece of evidence, by its hash")
            .anyone()
            .gives(200, "The bytes as they were stored", "application/octet-stream", Schema.ANY)
            .by(this::evidence),
        Route.post("/runs/{id}/halt", "Stop a run, in the way that its state has for it")
            .may(OPERATOR, AGENT, ADMIN)
            .takes(reasoned)
            .gives(receipt)
            .by(r -> {
              check(r);
              String reason = r.fields().only("reason").text("reason");
              return answer(runs.halt(r.path("id"), actor(r), reason));
            }),
        Route.post("/runs/{id}/resume", "Let a run that was paused or stands still go on")
            .may(OPERATOR, ADMIN)
            .gives(receipt)
            .by(r -> {
              check(r);
              return answer(runs.resume(r.path("id"), actor(r)));
            }));
  }

  private static Actor actor(Request request) {
    return request.caller().actor();
  }

  private static void check(Request request) {
    if (!request.caller().mayUse(Runs.MACHINE)) {
      throw ProblemException.forbidden(
          "Expected to use runs, but the token is for other machines.",
          "Ask for a token for runs.run.");
    }
  }

  private Response list(Request request) {
    check(request);
    String state = request.query("state");
    if (state != null && !Runs.STATES.contains(state)) {
      throw ProblemException.badRequest(
          "Expected a state of a run, but found '%s'. They are %s."
              .formatted(state, String.join(", ", Runs.STATES)));
    }
    List<Instance> found =
        runs.list(
            request.query("project"),
            state,
            "true".equals(request.query("live")),
            request.number("after", 0, 0, Long.MAX_VALUE),
            (int) request.number("most", 100, 1, 1_000));
    return Response.json(Map.of("runs", found.stream().map(RunStory::summary).toList()));
  }

  private Response start(Request request) throws IOException {
    check(request);
    Plan plan = plan(request);
    String id = runs.start(plan, actor(request));
    return Response.created("/api/v1/runs/" + id, Map.of("run_id", id));
  }

  private Response judged(Request request) throws IOException {
    check(request);
    Map<String, Object> frozen = plan(request).frozen(settings.policy());
    Map<String, Object> view = new LinkedHashMap<>();
    view.put("plan", frozen);
    view.put("digest", Plan.digest(frozen));
    return Response.json(view);
  }

  private Plan plan(Request request) throws IOException {
    String type = request.header("Content-Type");
    Path base = settings.roots().getFirst();
    try {
      Plan plan =
          type != null && type.contains("yaml")
              ? PlanReader.read(new Source("plan.yaml", request.text()), base)
              : plan(request.fields(), base);
      String fault = settings.fault(plan.folder());
      if (fault != null) {
        throw ProblemException.badRequest(fault);
      }
      return plan;
    } catch (DefinitionException e) {
      throw new ProblemException(
          422,
          "invalid-plan",
          String.valueOf(e.getMessage()),
          "",
          Map.of(
              "problems",
              e.problems().stream()
                  .map(p ->
                      Map.of(
                          "code",
                          p.code(),
                          "source",
                          p.source(),
                          "line",
                          (long) p.place().line(),
                          "column",
                          (long) p.place().column(),
                          "message",
                          p.message(),
                          "hint",
                          p.hint()))
                  .toList()));
    }
  }

  private static Plan plan(Fields fields, Path root) {
    fields.only("plan", "manifest", "graph", "tools", "base");
    String given = fields.textOrNull("base");
    Path base = given == null ? root : root.resolve(given);
    if (fields.value("manifest") == null
        && fields.value("graph") == null
        && fields.value("tools") == null) {
      return PlanReader.read(new Source("plan.yaml", fields.text("plan")), base);
    }
    if (fields.value("plan") != null) {
      throw ProblemException.badRequest(
          "Expected a plan, or a frozen plan with its tool book, but found both. Send one of"
              + " them.");
    }
    return FrozenPlanReader.read(
        FrozenPlan.of(fields.text("manifest"), fields.text("graph")),
        new Source("tools.yaml", fields.text("tools")),
        base);
  }

  private Map<String, @Nullable Object> story(Request request) {
    check(request);
    return runs.story(request.path("id")).asMap();
  }

  private Response evidence(Request request) {
    check(request);
    Instance run = runs.run(request.path("id"));
    try {
      return Response.bytes(
          "application/octet-stream",
          RunFolder.of(settings, run.id()).evidence().bytes(request.path("sha256")));
    } catch (EvidenceException | IllegalArgumentException e) {
      throw ProblemException.notFound(String.valueOf(e.getMessage()));
    }
  }

  private static Response answer(Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("instance", receipt.instance());
        view.put("sequence", receipt.sequence());
        view.put("hash", receipt.hash());
        view.put("states", receipt.states());
        view.put("ended", receipt.ended());
        yield Response.json(view);
      }
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }
}
