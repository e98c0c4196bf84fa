package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.evidence.EvidenceStore;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything that auditors look at.
 *
 * @param plan the frozen plan, as JSON values
 * @param planDigest what its digest was when it was frozen
 * @param planApprovedBy who approved it; {@code policy} when nobody had to
 * @param started the names of tools in the order in which they were started, with repetitions
 * @param results in the order in which they were committed
 * @param before what was in the folder before the run, path to content; null when nobody knows
 * @param now what is in the folder, path to content; null when nobody knows
 */
public record AuditedRun(
    String id,
    String environment,
    String requester,
    Map<String, Object> plan,
    String planDigest,
    String planApprovedBy,
    List<PlannedStep> tools,
    List<PlannedStep> checks,
    List<Started> started,
    List<StepResult> results,
    List<ApprovalRecord> approvals,
    EvidenceStore evidence,
    @Nullable Map<String, String> before,
    @Nullable Map<String, String> now) {

  /** A tool that was started, by the entry of that number. */
  public record Started(long sequence, String step) {}

  public AuditedRun {
    tools = List.copyOf(tools);
    checks = List.copyOf(checks);
    started = List.copyOf(started);
    results = List.copyOf(results);
    approvals = List.copyOf(approvals);
  }

  /** The planned tool or check of a result, or null. */
  @Nullable PlannedStep planned(StepResult result) {
    for (PlannedStep step : result.isCheck() ? checks : tools) {
      if (step.name().equals(result.step())) {
        return step;
      }
    }
    return null;
  }

  /** The result with which a step passed, or null. */
  @Nullable StepResult pass(PlannedStep step) {
    for (StepResult result : results) {
      if (result.isPass()
          && result.isCheck() == step.isCheck()
          && result.step().equals(step.name())) {
        return result;
      }
    }
    return null;
  }

  /** The results of tools that passed, in their order. */
  List<StepResult> passedTools() {
    return results.stream().filter(result -> result.isPass() && !result.isCheck()).toList();
  }
}
