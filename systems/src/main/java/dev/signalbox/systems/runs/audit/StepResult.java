package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import java.util.Map;

/**
 * What came of a tool or a check, as the journal has it.
 *
 * @param sequence of the entry that has it
 * @param status as the run took it, which is not always what the tool said
 * @param changed what it changed: path to what is there since, empty when it is gone; null contents
 *     are never in it
 */
public record StepResult(
    long sequence,
    String step,
    boolean isCheck,
    String status,
    ToolResult result,
    Map<String, String> changed) {

  public StepResult {
    changed = Map.copyOf(changed);
  }

  boolean isPass() {
    return status.equals(ToolStatus.PASS.word());
  }
}
