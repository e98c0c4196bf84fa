package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Claim;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Does the tools of runs.
 *
 * <p>Before a tool that may change something starts, a backup of the folder is whole on the disk;
 * then a mark says that the tool was started. So whoever finds no mark has nothing to undo, and
 * whoever finds one can put the folder back to what it was, however far the tool came. A tool that
 * is tried again begins on the folder as it was before its first attempt.
 */
final class ToolWork {
  private static final int SAME_CALLS = 5;

  private final Host host;
  private final RunsSettings settings;
  private final Consent consent;
  private final Toolbox toolbox;
  private final FolderTurns turns;

  ToolWork(Host host, RunsSettings settings, Consent consent, Toolbox toolbox, FolderTurns turns) {
    this.host = host;
    this.settings = settings;
    this.consent = consent;
    this.toolbox = toolbox;
    this.turns = turns;
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

  /** How often the current tool was begun. */
  static long attempts(Instance run) {
    return run.context().get("tool_attempts") instanceof Long number ? number : 0;
  }

  /** Runs the current tool, if it is still wanted and everything it needs was said. */
  Outcome run(Call call) throws Exception {
    return turns.alone(call.instance(), () -> runAlone(call));
  }

  private Outcome runAlone(Call call) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    Map<String, Object> input = Form.map(call.input(), "input");
    String name = Form.text(input, "tool");
    long attempt = Form.whole(input, "attempt");
    if (run == null
        || !name.equals(run.context().get("current_tool"))
        || attempts(run) != attempt) {
      return ToolOutcome.unwanted(call);
    }
    ToolJob job = ToolJob.of(run, "tools", name, attempt);
    String approval = Form.text(input, "approval");
    boolean repeat = Form.flag(input, "repeat");
    boolean approved = false;
    if (!approval.isEmpty()) {
      Claim claim = consent.claim(job, approval, repeat ? Consent.REPEAT : "");
      switch (claim) {
        case Claim.Claimed _ -> approved = true;
        case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW -> {
          return new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
        }
        case Claim.Rejected rejected -> {
          return ToolOutcome.halted(job, rejected.message());
        }
      }
    }
    Outcome forbidden = forbidden(job, approved);
    return forbidden != null ? forbidden : execute(job, approved);
  }

  /** Why the tool must not run although somebody asks for it, or null. */
  private @Nullable Outcome forbidden(ToolJob job, boolean approved) {
    boolean judged =
        Form.maps(job.plan().frozen(settings.policy()), "tools").stream()
            .anyMatch(t -> CanonicalJson.text(t).equals(CanonicalJson.text(job.frozen())));
    if (!judged) {
      return ToolOutcome.halted(
          job,
          "Expected '%s' of '%s' with the risk that the policy gives it, but it has another. Nothing ran."
              .formatted(job.name(), job.run()));
    }
    if (Form.flag(job.frozen(), "approval") && !approved) {
      return ToolOutcome.halted(
          job,
          "Expected an approval for '%s' of '%s', but there is none. Nothing ran."
              .formatted(job.name(), job.run()));
    }
    if (job.plan().environment().equals("prod") && job.tool().isWriting() && !approved) {
      return ToolOutcome.halted(
          job, "emergency halt: production would be touched without approval, by " + job.name());
    }
    if (CallCount.of(host, job.run()).sameCalls(Form.text(job.frozen(), "digest")) >= SAME_CALLS) {
      return ToolOutcome.halted(
          job, "emergency halt: the same call five times, with " + job.name());
    }
    return null;
  }

  private Outcome execute(ToolJob job, boolean approved) throws IOException, InterruptedException {
    RunFolder folder = folder(job.run());
    EvidenceStore evidence = folder.evidence();
    Tool tool = toolbox.tool(job.tool());
    ToolCall call = job.call();
    job.clear(toolbox, job.attempt());
    for (long earlier = 1; earlier < job.attempt(); earlier++) {
      folder.undo(RunFolder.attempt(job.name(), earlier), job.plan().folder());
    }
    String attempt = RunFolder.attempt(job.name(), job.attempt());
    folder.prepare(attempt, job.plan().folder());
    ToolResult result = tool.run(call, evidence);
    RunFolder.Changes changes = folder.changes(attempt, job.plan().folder());
    ToolStatus status = result.status();
    String message = result.message();
    if (!job.tool().isWriting() && !changes.files().isEmpty()) {
      status = ToolStatus.HALTED;
      message =
          "%sExpected '%s' to read only, but it changed %s."
              .formatted(
                  job.plan().environment().equals("prod")
                      ? "emergency halt: production was touched without approval. "
                      : "",
                  job.name(),
                  RunFolder.told(changes.files()));
    } else if (result.risk() == Risk.CRITICAL) {
      status = ToolStatus.HALTED;
      message = "critical risk found by '%s': %s".formatted(job.name(), risks(result));
    } else if (result.risk() == Risk.HIGH && !approved && status == ToolStatus.PASS) {
      status = ToolStatus.NEEDS_APPROVAL;
      message = "high risk found by '%s': %s".formatted(job.name(), risks(result));
    }
    if (status == ToolStatus.FAIL && CallCount.of(host, job.run()).isMostlyFailing()) {
      status = ToolStatus.HALTED;
      message = "emergency halt: more than half of the calls failed, the last one " + job.name();
    }
    boolean again = status == ToolStatus.FAIL && job.attempt() <= job.tool().retries();
    return ToolOutcome.ended(
        "tool", job.name(), again ? "retry" : status.word(), message, result, changes, evidence);
  }

  private static String risks(ToolResult result) {
    return String.join("; ", result.risks().stream().map(risk -> risk.text()).toList());
  }

  /** A person has said that the tool of unknown outcome is to be taken as done. */
  Outcome accept(Call call) throws Exception {
    Instance run = RunWork.wanting(host, call.instance(), "EXECUTING");
    if (run == null) {
      return ToolOutcome.unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    ToolJob job = ToolJob.of(run, "tools", Form.text(input, "tool"), Form.whole(input, "attempt"));
    return switch (consent.claim(job, Form.text(input, "approval"), Consent.ACCEPT)) {
      case Claim.Rejected rejected when rejected.reason() == Claim.Reason.NOT_NOW ->
          new Outcome.RetryAfter(Duration.ofSeconds(1), rejected.message());
      case Claim.Rejected rejected -> ToolOutcome.halted(job, rejected.message());
      case Claim.Claimed claimed -> {
        RunFolder folder = folder(job.run());
        Evidence decision =
            folder.evidence().put("decision", Json.text(claimed.approval().asMap()));
        RunFolder.Changes changes =
            folder.changes(RunFolder.attempt(job.name(), job.attempt()), job.plan().folder());
        ToolResult accepted =
            ToolResult.pass(
                List.of(decision),
                "accepted as done by " + String.join(", ", claimed.approval().approvers()));
        yield ToolOutcome.ended(
            "tool",
            job.name(),
            ToolStatus.PASS.word(),
            accepted.message(),
            accepted,
            changes,
            folder.evidence());
      }
    };
  }
}
