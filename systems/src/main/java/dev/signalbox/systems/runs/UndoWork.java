package dev.signalbox.systems.runs;

import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import dev.signalbox.services.workspace.WorkspaceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Takes back what tools changed: a tool's own undo first, then its backups, the last one first. */
final class UndoWork {
  private static final int ATTEMPTS = 3;

  private final Host host;
  private final RunsSettings settings;
  private final Toolbox toolbox;
  private final FolderTurns turns;
  private final CheckWork checks;

  UndoWork(Host host, RunsSettings settings, Toolbox toolbox, FolderTurns turns, CheckWork checks) {
    this.host = host;
    this.settings = settings;
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
    checks.end(run, job.plan());
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
      attempts.reversed().forEach(attempt -> folder.undo(attempt, job.plan().folder()));
    } catch (WorkspaceException e) {
      if (call.attempt() < ATTEMPTS) {
        throw e;
      }
      return Outcome.failed(Map.of("why", String.valueOf(e.getMessage())));
    }
    evidence.add(
        folder.evidence().put("tree", folder.footprint(job.plan().folder()).treeHash()).fields());
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("step", step);
    data.put("evidence", evidence);
    return Outcome.succeeded(data);
  }
}
