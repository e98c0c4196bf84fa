package dev.signalbox.systems.runs;

import dev.signalbox.runtime.Instance;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolLimits;
import java.util.Map;

/**
 * A tool or a check of a run's frozen plan that is to be done.
 *
 * @param whole the frozen plan
 * @param frozen the tool as the frozen plan has it, with what the policy said of it
 */
record ToolJob(
    String run,
    Plan plan,
    Map<String, Object> whole,
    Map<String, Object> frozen,
    ToolPlan tool,
    long attempt) {

  /** The job of a tool or a check, by its name in the run's frozen plan. */
  static ToolJob of(Instance run, String list, String name, long attempt) {
    Map<String, Object> frozen = Form.map(run.context(), "plan");
    for (Map<String, Object> each : Form.maps(frozen, list)) {
      if (name.equals(each.get("name"))) {
        return new ToolJob(run.id(), Plan.of(frozen), frozen, each, ToolPlan.of(each), attempt);
      }
    }
    throw new IllegalArgumentException(
        "Expected '%s' in the plan of '%s', but it is not there.".formatted(name, run.id()));
  }

  /** Whether the tool has the risk that the policy gives it, in the form that its plan has. */
  boolean isJudgedBy(Policy policy) {
    return plan.isFrozenAs(whole, policy);
  }

  String name() {
    return tool.name();
  }

  /** The call of its tool. */
  ToolCall call() {
    return call(tool);
  }

  /** The call of another tool that belongs to it, such as its undo. */
  ToolCall call(ToolPlan of) {
    return new ToolCall(
        run + "/" + of.name() + "/" + attempt,
        of.name(),
        of.arguments(),
        plan.folder(),
        new ToolLimits(of.timeout(), of.outputBytes()));
  }

  /** Ends what the attempts up to that one left running. */
  void clear(Toolbox toolbox, long last) throws InterruptedException {
    for (long each = 1; each <= last; each++) {
      toolbox.tool(tool).clear(new ToolJob(run, plan, whole, frozen, tool, each).call());
    }
  }
}
