package dev.signalbox.systems.runs;

import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.tool.ToolUsage;
import dev.signalbox.services.workspace.Backup;
import dev.signalbox.services.workspace.WorkspaceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes back what tools changed: a tool's own undo first, then its backups, the last one first. */
final class UndoWork {
  private final Host host;
  private final RunsSettings settings;
  private final PlanConsent plans;
  private final Toolbox toolbox;
  private final FolderTurns turns;
  private final CheckWork checks;

  UndoWork(
      Host host,
      RunsSettings settings,
      PlanConsent plans,
      Toolbox toolbox,
      FolderTurns turns,
      CheckWork checks) {
    this.host = host;
    this.settings = settings;
    this.plans = plans;
    this.toolbox = toolbox;
    this.turns = turns;
    this.checks = checks;
  }

  Outcome undo(Call call) throws Exception {
    return turns.alone(call.instance(), () -> undoAlone(call));
  }

  private Outcome undoAlone(Call call) throws IOException, InterruptedException {
    Instance run = host.find(call.instance());
    if (run == null || !run.status().equals("live")) {
      return ToolOutcome.unwanted(call);
    }
    Map<String, Object> input = Form.map(call.input(), "input");
    String step = Form.text(input, "step");
    ToolJob job = ToolJob.of(run, "tools", step, ToolWork.attempts(run));
    RunFolder folder = RunFolder.of(settings, job.run());
    List<Object> evidence = new ArrayList<>();
    List<String> attempts = folder.attempts(step);
    ToolPlan undo = job.tool().undo();
    job.clear(toolbox, folder.last(step));
    ToolUsage used = ToolUsage.NONE;
    try {
      checks.end(run, job.plan());
    } catch (WorkspaceException e) {
      return refused(call, e, used);
    }
    if (undo != null && !attempts.isEmpty()) {
      if (!Form.flag(job.frozen(), "approval")
          && job.plan()
              .assessed(settings.policy(), undo.accessing(job.tool().access()))
              .needsApproval()) {
        return failed(
            "its undo is risky, and nobody approved '%s' with it; it was not run"
                .formatted(job.name()),
            used);
      }
      ToolResult result;
      try {
        result = own(run, job, undo, folder);
      } catch (WorkspaceException e) {
        return refused(call, e, used);
      } catch (IllegalArgumentException e) {
        return failed(String.valueOf(e.getMessage()), used);
      }
      used = result.usage();
      result.evidence().forEach(each -> evidence.add(each.fields()));
      if (result.status() != ToolStatus.PASS) {
        return failed(
            "its undo ended with %s: %s".formatted(result.status().word(), result.message()), used);
      }
    }
    try {
      attempts.reversed().forEach(attempt -> folder.undo(attempt, job.plan().folder()));
      // Where nothing was started there is nothing to show, and the folder may be why.
      if (!attempts.isEmpty()) {
        String tree = folder.footprint(job.plan().folder()).treeHash();
        evidence.add(folder.evidence().put("tree", tree).fields());
      }
    } catch (WorkspaceException e) {
      return refused(call, e, used);
    }
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("step", step);
    data.put("evidence", evidence);
    data.put("model_calls", used.modelCalls());
    data.put("tokens", used.tokens());
    return Outcome.succeeded(data);
  }

  /**
   * Runs a tool's own undo, on a copy of the folder as the tool left it. One that has passed is not
   * run again when a backup could not be put back at once, and what it used counts once.
   *
   * @throws IllegalArgumentException when somebody else changed the folder since: what the undo
   *     starts there is not what people approved
   */
  private ToolResult own(Instance run, ToolJob job, ToolPlan undo, RunFolder folder)
      throws IOException, InterruptedException {
    Path work = job.plan().folder();
    ToolResult passed = folder.undone(job.name());
    if (passed != null) {
      folder.settle(attempt(job), work);
      return passed;
    }
    plans.requireKept(run, job.plan());
    folder.takeBack(attempt(job), work);
    String last = folder.attempts(job.name()).getLast();
    folder.settle(last, work);
    Backup seen = folder.look(work);
    if (!folder.left(last, work).equals(seen.before().treeHash())) {
      throw new IllegalArgumentException(
          "its undo was not started: somebody else changed the folder since the tool ended");
    }
    Path copy = folder.prepare(attempt(job), work, seen);
    ToolResult result = toolbox.run(undo, job.call(undo), copy, folder.evidence());
    if (result.status() == ToolStatus.PASS) {
      if (undo.isWriting() && !folder.changes(attempt(job), work).files().isEmpty()) {
        folder.apply(attempt(job), work);
      }
      folder.keepUndone(job.name(), result);
    }
    folder.discard(attempt(job));
    return result;
  }

  private static String attempt(ToolJob job) {
    return RunFolder.attempt(job.name() + ".undo", 1);
  }

  /** The folder does not let itself be put back; after some attempts that is the end. */
  private static Outcome refused(Call call, WorkspaceException e, ToolUsage used) {
    if (call.attempt() < RunWork.ATTEMPTS) {
      throw e;
    }
    return failed(String.valueOf(e.getMessage()), used);
  }

  private static Outcome failed(String why, ToolUsage used) {
    return Outcome.failed(
        Map.of("why", why, "model_calls", used.modelCalls(), "tokens", used.tokens()));
  }
}
