package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.approval.Terms;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolLimits;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.workspace.WorkspaceException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Does the tools, the checks and the undo steps of runs, and asks people about tools.
 *
 * <p>Before a tool that may change something starts, a backup of the folder is whole on the disk;
 * then a mark says that the tool was started. So whoever finds no mark has nothing to undo, and
 * whoever finds one can put the folder back to what it was, however far the tool came. A tool that
 * is tried again begins on the folder as it was before its first attempt.
 */
final class ToolWork {
  private static final int RESULT = 32 * 1024;
  private static final int UNDO_ATTEMPTS = 3;
  private static final int SAME_CALLS = 5;
  private static final String REPEAT = "repeat";
  private static final String ACCEPT = "accept";

  private final Host host;
  private final RunsSettings settings;
  private final Approvals approvals;
  private final Asking asking;
  private final Toolbox toolbox;
  private final Map<String, ReentrantLock> turns = new ConcurrentHashMap<>();

  ToolWork(Host host, RunsSettings settings, Approvals approvals, Asking asking) {
    this.host = host;
    this.settings = settings;
    this.approvals = approvals;
    this.asking = asking;
    this.toolbox = new Toolbox(settings);
  }

  /** Work on one folder at a time: what was interrupted has ended before something else begins. */
  private interface Work {
    Outcome now() throws Exception;
  }

  private Outcome alone(String run, Work work) throws Exception {
    ReentrantLock turn = turns.computeIfAbsent(run, _ -> new ReentrantLock(true));
    turn.lockInterruptibly();
    try {
      return work.now();
    } finally {
      turn.unlock();
    }
  }

  /** Why the plan's tools can't be called here, or null. */
  @Nullable String fault(Plan plan) {
    List<ToolPlan> all = new ArrayList<>(plan.tools());
    all.addAll(plan.checks());
    all.addAll(plan.auditors().values());
    for (ToolPlan tool : all) {
      try {
        toolbox.tool(tool);
      } catch (IllegalArgumentException e) {
        return "Expected to be able to call '%s', but %s".formatted(tool.name(), e.getMessage());
      }
    }
    return null;
  }

  /** Remembers the folder as it is before the run; its hash. */
  String before(String run, Plan plan) {
    return folder(run).footprint(plan.folder()).treeHash();
  }

  private RunFolder folder(String run) {
    return RunFolder.of(settings, run);
  }

  /** What an effect of a tool was asked. */
  private record Job(
      String run, Plan plan, Map<String, Object> frozen, ToolPlan tool, long attempt) {
    ToolCall call(ToolPlan of) {
      return new ToolCall(
          run + "/" + of.name() + "/" + attempt,
          of.name(),
          of.arguments(),
          plan.folder(),
          new ToolLimits(of.timeout(), of.outputBytes()));
    }
  }

  /** The job of a tool or a check, by its name in the run's frozen plan. */
  private static Job job(Instance run, String list, String name, long attempt) {
    Map<String, Object> frozen = Form.map(run.context(), "plan");
    for (Map<String, Object> each : Form.maps(frozen, list)) {
      if (name.equals(each.get("name"))) {
        return new Job(run.id(), Plan.of(frozen), each, ToolPlan.of(each), attempt);
      }
    }
    throw new IllegalArgumentException(
        "Expected '%s' in the plan of '%s', but it is not there.".formatted(name, run.id()));
  }

  /** Asks whether the current tool may run; where its outcome is unknown, what to do about it. */
  Outcome ask(Call call) throws InterruptedException {
    Instance run = RunWork.wanting(host, call.instance(), "AWAITING_APPROVAL");
    if (run == null) {
      return unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    Job job = job(run, "tools", Form.text(input, "tool"), Form.whole(input, "attempt"));
    boolean unknown = Form.flag(input, "outcome_unknown");
    Map<String, Object> data = new LinkedHashMap<>();
    if (unknown) {
      // What the dead process left running must have ended before anybody decides.
      toolbox.tool(job.tool).clear(job.call(job.tool));
      data.put("approval_id", ask(job, input, REPEAT, call.key() + " repeat"));
      data.put("accept_id", ask(job, input, ACCEPT, call.key() + " accept"));
    } else {
      data.put("approval_id", ask(job, input, "", call.key()));
      data.put("accept_id", "");
    }
    return Outcome.succeeded(data);
  }

  private String ask(Job job, Map<String, Object> input, String decision, String key)
      throws InterruptedException {
    return asking.ask(
        job.run,
        action(job, decision),
        Risk.HIGH,
        Asking.requester(Form.map(input, "requested_by")),
        job.plan.approvers(),
        Map.of(
            dev.signalbox.services.approval.Outcome.GRANTED, "approved",
            dev.signalbox.services.approval.Outcome.REJECTED, "rejected",
            dev.signalbox.services.approval.Outcome.ESCALATED, "escalated"),
        key);
  }

  /**
   * The tool's call as people approve it: what is called, with what, by which tool.
   *
   * @param decision what is decided about a tool of unknown outcome; empty for a tool that did not
   *     run yet
   */
  private Action action(Job job, String decision) throws InterruptedException {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("tool", toolbox.tool(job.tool).identity(job.call(job.tool)));
    identity.put("environment", job.plan.environment());
    identity.put("folder", job.plan.folder().toString());
    identity.put("access", job.tool.access().word());
    identity.put("writes", job.tool.writes());
    identity.put("retries", job.tool.retries());
    identity.put("why", String.valueOf(job.frozen.getOrDefault("why", "")));
    if (!decision.isEmpty()) {
      identity.put("decision", decision);
    }
    return new Action(job.run, job.tool.name(), job.tool.arguments(), identity);
  }

  private static long attempts(Instance run) {
    return run.context().get("tool_attempts") instanceof Long number ? number : 0;
  }

  /** Runs the current tool, if it is still wanted and everything it needs was said. */
  Outcome run(Call call) throws Exception {
    return alone(call.instance(), () -> runAlone(call));
  }

  private Outcome runAlone(Call call) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    Map<String, Object> input = Form.map(call.input(), "input");
    String name = Form.text(input, "tool");
    long attempt = Form.whole(input, "attempt");
    if (run == null
        || !name.equals(run.context().get("current_tool"))
        || attempts(run) != attempt) {
      return unwanted(call);
    }
    Job job = job(run, "tools", name, attempt);
    String approval = Form.text(input, "approval");
    boolean repeat = Form.flag(input, "repeat");
    boolean approved = false;
    if (!approval.isEmpty()) {
      Claim claim = claim(job, approval, repeat ? REPEAT : "");
      switch (claim) {
        case Claim.Claimed _ -> approved = true;
        case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW -> {
          return new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
        }
        case Claim.Rejected rejected -> {
          return halted(job, rejected.message());
        }
      }
    }
    Outcome forbidden = forbidden(job, approved);
    return forbidden != null ? forbidden : execute(job, approved);
  }

  /** Why the tool must not run although somebody asks for it, or null. */
  private @Nullable Outcome forbidden(Job job, boolean approved) {
    boolean judged =
        Form.maps(job.plan.frozen(settings.policy()), "tools").stream()
            .anyMatch(t -> CanonicalJson.text(t).equals(CanonicalJson.text(job.frozen)));
    if (!judged) {
      return halted(
          job,
          "Expected '%s' of '%s' with the risk that the policy gives it, but it has another. Nothing ran."
              .formatted(job.tool.name(), job.run));
    }
    if (Form.flag(job.frozen, "approval") && !approved) {
      return halted(
          job,
          "Expected an approval for '%s' of '%s', but there is none. Nothing ran."
              .formatted(job.tool.name(), job.run));
    }
    if (job.plan.environment().equals("prod") && job.tool.isWriting() && !approved) {
      return halted(
          job,
          "emergency halt: production would be touched without approval, by " + job.tool.name());
    }
    if (CallCount.of(host, job.run).sameCalls(Form.text(job.frozen, "digest")) >= SAME_CALLS) {
      return halted(job, "emergency halt: the same call five times, with " + job.tool.name());
    }
    return null;
  }

  /**
   * Uses the approval for this tool of this run. Its retries, which people approve with it, and its
   * repetition after a crash are the same use.
   */
  private Claim claim(Job job, String approval, String decision) throws InterruptedException {
    Action action = action(job, decision);
    List<String> met =
        approvals.approval(approval).conditions().stream().filter(c -> isMet(job, c)).toList();
    return approvals.claim(
        approval,
        action,
        Terms.NONE.meeting(met.toArray(String[]::new)).key(job.run + " " + job.tool.name()));
  }

  /** Whether a condition holds: it is one in CEL over the call, as a policy's are. */
  private boolean isMet(Job job, String condition) {
    try {
      return Policy.test(
          Policy.compile(condition),
          Policy.call(job.plan.project(), job.plan.environment(), job.tool));
    } catch (ExpressionCompiler.SyntaxException | EvaluationException e) {
      return false;
    }
  }

  private Outcome execute(Job job, boolean approved) throws IOException, InterruptedException {
    RunFolder folder = folder(job.run);
    EvidenceStore evidence = folder.evidence();
    Tool tool = toolbox.tool(job.tool);
    ToolCall call = job.call(job.tool);
    for (long earlier = 1; earlier <= job.attempt; earlier++) {
      tool.clear(new Job(job.run, job.plan, job.frozen, job.tool, earlier).call(job.tool));
    }
    for (long earlier = 1; earlier < job.attempt; earlier++) {
      folder.undo(RunFolder.attempt(job.tool.name(), earlier), job.plan.folder());
    }
    String attempt = RunFolder.attempt(job.tool.name(), job.attempt);
    folder.prepare(attempt, job.plan.folder());
    ToolResult result = tool.run(call, evidence);
    RunFolder.Changes changes = folder.changes(attempt, job.plan.folder());
    ToolStatus status = result.status();
    String message = result.message();
    if (!job.tool.isWriting() && !changes.files().isEmpty()) {
      status = ToolStatus.HALTED;
      message =
          "%sExpected '%s' to read only, but it changed %s."
              .formatted(
                  job.plan.environment().equals("prod")
                      ? "emergency halt: production was touched without approval. "
                      : "",
                  job.tool.name(),
                  RunFolder.told(changes.files()));
    } else if (result.risk() == Risk.CRITICAL) {
      status = ToolStatus.HALTED;
      message = "critical risk found by '%s': %s".formatted(job.tool.name(), risks(result));
    } else if (result.risk() == Risk.HIGH && !approved && status == ToolStatus.PASS) {
      status = ToolStatus.NEEDS_APPROVAL;
      message = "high risk found by '%s': %s".formatted(job.tool.name(), risks(result));
    }
    if (status == ToolStatus.FAIL && CallCount.of(host, job.run).isMostlyFailing()) {
      status = ToolStatus.HALTED;
      message =
          "emergency halt: more than half of the calls failed, the last one " + job.tool.name();
    }
    boolean again = status == ToolStatus.FAIL && job.attempt <= job.tool.retries();
    return ended(
        "tool",
        job.tool.name(),
        again ? "retry" : status.word(),
        message,
        result,
        changes,
        evidence);
  }

  private static String risks(ToolResult result) {
    return String.join("; ", result.risks().stream().map(risk -> risk.text()).toList());
  }

  /** A person has said that the tool of unknown outcome is to be taken as done. */
  Outcome accept(Call call) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    if (run == null) {
      return unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    Job job = job(run, "tools", Form.text(input, "tool"), Form.whole(input, "attempt"));
    return switch (claim(job, Form.text(input, "approval"), ACCEPT)) {
      case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW ->
          new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
      case Claim.Rejected rejected -> halted(job, rejected.message());
      case Claim.Claimed claimed -> {
        RunFolder folder = folder(job.run);
        Evidence decision =
            folder.evidence().put("decision", Json.text(claimed.approval().asMap()));
        RunFolder.Changes changes =
            folder.changes(RunFolder.attempt(job.tool.name(), job.attempt), job.plan.folder());
        ToolResult accepted =
            ToolResult.pass(
                List.of(decision),
                "accepted as done by " + String.join(", ", claimed.approval().approvers()));
        yield ended(
            "tool",
            job.tool.name(),
            ToolStatus.PASS.word(),
            accepted.message(),
            accepted,
            changes,
            folder.evidence());
      }
    };
  }

  /** Runs a check; it leaves the folder as it found it. */
  Outcome check(Call call) throws Exception {
    return alone(call.instance(), () -> checkAlone(call));
  }

  private Outcome checkAlone(Call call) throws IOException, InterruptedException {
    Instance run = RunWork.wanting(host, call.instance(), "VERIFYING");
    if (run == null) {
      return unwanted(call);
    }
    Job job = job(run, "checks", Form.text(Form.map(call.input(), "input"), "check"), 1);
    RunFolder folder = folder(job.run);
    Tool tool = toolbox.tool(job.tool);
    ToolCall toolCall = job.call(job.tool);
    tool.clear(toolCall);
    String name = "check." + job.tool.name();
    folder.attempts(name).forEach(earlier -> folder.undo(earlier, job.plan.folder()));
    String attempt = RunFolder.attempt(name, folder.attempts(name).size() + 1L);
    folder.prepare(attempt, job.plan.folder());
    ToolResult result = tool.run(toolCall, folder.evidence());
    folder.undo(attempt, job.plan.folder());
    ToolStatus status =
        result.risk() == Risk.CRITICAL && result.status() == ToolStatus.PASS
            ? ToolStatus.FAIL
            : result.status();
    String message =
        result.message().isEmpty()
            ? "check '%s': %s".formatted(job.tool.name(), status.word())
            : "check '%s': %s".formatted(job.tool.name(), result.message());
    return ended(
        "check",
        job.tool.name(),
        status.word(),
        message,
        result,
        RunFolder.Changes.NONE,
        folder.evidence());
  }

  /** Takes back what a tool changed: its own undo first, then the backup. */
  Outcome undo(Call call) throws Exception {
    return alone(call.instance(), () -> undoAlone(call));
  }

  private Outcome undoAlone(Call call) throws IOException, InterruptedException {
    Instance run = host.find(call.instance());
    if (run == null || !run.status().equals("live")) {
      return unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    String step = Form.text(input, "step");
    Job job = job(run, "tools", step, attempts(run));
    RunFolder folder = folder(job.run);
    List<Object> evidence = new ArrayList<>();
    List<String> attempts = folder.attempts(step);
    ToolPlan undo = job.tool.undo();
    for (long attempt = 1; attempt <= attempts.size(); attempt++) {
      toolbox
          .tool(job.tool)
          .clear(new Job(job.run, job.plan, job.frozen, job.tool, attempt).call(job.tool));
    }
    endChecks(run, job.plan);
    if (undo != null && !attempts.isEmpty()) {
      ToolResult result = toolbox.tool(undo).run(job.call(undo), folder.evidence());
      result.evidence().forEach(each -> evidence.add(each.fields()));
      if (result.status() != ToolStatus.PASS) {
        return Outcome.failed(
            Map.of(
                "why",
                "its undo ended with %s: %s".formatted(result.status().word(), result.message())));
      }
    }
    try {
      attempts.reversed().forEach(attempt -> folder.undo(attempt, job.plan.folder()));
    } catch (WorkspaceException e) {
      if (call.attempt() < UNDO_ATTEMPTS) {
        throw e;
      }
      return Outcome.failed(Map.of("why", String.valueOf(e.getMessage())));
    }
    evidence.add(
        folder.evidence().put("tree", folder.footprint(job.plan.folder()).treeHash()).fields());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("step", step);
    data.put("evidence", evidence);
    return Outcome.succeeded(data);
  }

  /** Ends what a check that was cut off left, and takes back what it changed. */
  private void endChecks(Instance run, Plan plan) throws InterruptedException {
    RunFolder folder = folder(run.id());
    for (ToolPlan check : plan.checks()) {
      List<String> attempts = folder.attempts("check." + check.name());
      if (!attempts.isEmpty()) {
        Job job = job(run, "checks", check.name(), 1);
        toolbox.tool(check).clear(job.call(check));
        attempts.reversed().forEach(attempt -> folder.undo(attempt, plan.folder()));
      }
    }
  }

  private static Outcome unwanted(Call call) {
    return Outcome.failed(
        Map.of("why", "'%s' does not want %s any more".formatted(call.instance(), call.effect())));
  }

  private static Outcome halted(Job job, String why) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tool", job.tool.name());
    data.put("status", ToolStatus.HALTED.word());
    data.put("evidence", List.of());
    data.put("result", Map.of());
    data.put("reason", why);
    data.put("model_calls", 0L);
    data.put("tokens", 0L);
    data.put("files", 0L);
    return Outcome.succeeded(data);
  }

  private static Outcome ended(
      String what,
      String name,
      String status,
      String message,
      ToolResult result,
      RunFolder.Changes changes,
      EvidenceStore store) {
    List<Object> evidence = new ArrayList<>();
    result.evidence().forEach(each -> evidence.add(each.fields()));
    changes.evidence().forEach(each -> evidence.add(each.fields()));
    Map<String, Object> told = new LinkedHashMap<>(result.fields());
    told.remove("evidence");
    told.put("changed", changes.files());
    String json = Json.text(told);
    if (json.length() > RESULT) {
      evidence.add(store.put("result", json).fields());
      told.keySet().retainAll(List.of("status", "usage", "exit_code"));
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put(what, name);
    data.put("status", status);
    data.put("evidence", evidence);
    data.put("result", told);
    data.put("reason", message.isEmpty() ? "'%s' ended with %s".formatted(name, status) : message);
    data.put("model_calls", result.usage().modelCalls());
    data.put("tokens", result.usage().tokens());
    data.put("files", Math.max(result.usage().files(), changes.files().size()));
    return Outcome.succeeded(data);
  }
}
