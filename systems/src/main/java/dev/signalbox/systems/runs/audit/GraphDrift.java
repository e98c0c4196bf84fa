package dev.signalbox.systems.runs.audit;

import dev.signalbox.systems.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A run of a frozen plan of the coordinator against the graph that people looked at. */
final class GraphDrift {
  /** The effects of an action that changes nothing. */
  private static final Set<String> HARMLESS = Set.of("read", "network");

  private GraphDrift() {}

  /** Nothing for a plan that was written by hand. */
  static void look(AuditedRun run, Findings findings) {
    if (!run.plan().containsKey("origin")) {
      return;
    }
    List<Map<String, @Nullable Object>> actions = new ArrayList<>();
    for (Object each : Values.list(Values.map(run.plan().get("origin")).get("actions"))) {
      actions.add(Values.map(each));
    }
    List<String> proposed =
        actions.stream().map(action -> Values.text(action.get("tool"))).toList();
    List<String> planned = run.tools().stream().map(PlannedStep::name).toList();
    if (!proposed.equals(planned)) {
      findings.stop(
          "graph-differs",
          "",
          "The graph has the actions %s, and the plan the tools %s.".formatted(proposed, planned));
    }
    for (Map<String, @Nullable Object> action : actions) {
      if (HARMLESS.containsAll(Values.list(action.get("effects")))) {
        changes(run, action, findings);
      }
    }
  }

  private static void changes(
      AuditedRun run, Map<String, @Nullable Object> action, Findings findings) {
    String tool = Values.text(action.get("tool"));
    for (StepResult result : run.passedTools()) {
      if (result.step().equals(tool)) {
        for (String path : new TreeSet<>(result.changed().keySet())) {
          findings.stop(
              "effect-unplanned",
              tool,
              "It changed '%s', and the graph says of '%s' that it changes nothing."
                  .formatted(path, Values.text(action.get("node_id"))));
        }
      }
    }
  }
}
