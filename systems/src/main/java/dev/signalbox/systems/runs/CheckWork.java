package dev.signalbox.systems.runs;

import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.workspace.Backup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Does the checks of runs, each on a copy of the folder of which nothing is kept. */
final class CheckWork {
  private final Host host;
  private final RunsSettings settings;
  private final PlanConsent plans;
  private final Trees trees;
  private final Toolbox toolbox;
  private final FolderTurns turns;

  CheckWork(
      Host host,
      RunsSettings settings,
      PlanConsent plans,
      Trees trees,
      Toolbox toolbox,
      FolderTurns turns) {
    this.host = host;
    this.settings = settings;
    this.plans = plans;
    this.trees = trees;
    this.toolbox = toolbox;
    this.turns = turns;
  }

  Outcome check(Call call) throws Exception {
    return turns.alone(call.instance(), () -> checkAlone(call));
  }

  private Outcome checkAlone(Call call) throws IOException, InterruptedException {
    Instance run = RunWork.wanting(host, call.instance(), "VERIFYING");
    if (run == null) {
      return ToolOutcome.unwanted(call);
    }
    ToolJob job = ToolJob.of(run, "checks", Form.text(Form.map(call.input(), "input"), "check"), 1);
    RunFolder folder = RunFolder.of(settings, job.run());
    Tool tool = toolbox.tool(job.tool());
    tool.clear(job.call());
    String name = name(job.tool());
    folder.attempts(name).forEach(earlier -> folder.undo(earlier, job.plan().folder()));
    String attempt = RunFolder.attempt(name, folder.last(name) + 1);
    plans.requireKept(run, job.plan());
    Backup seen = trees.require(run, job.plan());
    Path copy = folder.prepare(attempt, job.plan().folder(), seen);
    ToolResult result;
    try {
      result = toolbox.run(job.tool(), job.call(), copy, folder.evidence());
    } finally {
      folder.discard(attempt);
    }
    boolean critical = result.risk() == Risk.CRITICAL && result.status() == ToolStatus.PASS;
    ToolStatus status = critical ? ToolStatus.FAIL : result.status();
    String message =
        "check '%s': %s"
            .formatted(
                job.name(),
                critical
                    ? "critical risk found: " + ToolOutcome.risks(result)
                    : result.message().isEmpty() ? status.word() : result.message());
    return ToolOutcome.ended(
        "check",
        job.name(),
        status.word(),
        message,
        result,
        RunFolder.Changes.NONE,
        folder.evidence());
  }

  /** Ends what a check that was cut off left, and takes back what it changed. */
  void end(Instance run, Plan plan) throws InterruptedException {
    RunFolder folder = RunFolder.of(settings, run.id());
    for (ToolPlan check : plan.checks()) {
      List<String> attempts = folder.attempts(name(check));
      if (!attempts.isEmpty()) {
        ToolJob job = ToolJob.of(run, "checks", check.name(), 1);
        toolbox.tool(check).clear(job.call());
        attempts.reversed().forEach(attempt -> folder.undo(attempt, plan.folder()));
      }
    }
  }

  private static String name(ToolPlan check) {
    return "check." + check.name();
  }
}
