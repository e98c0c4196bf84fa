package dev.signalbox.systems.runs;

import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.HandlerTool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import java.util.List;

/** Functions that plans of tests call. */
final class RunHandlers {
  private RunHandlers() {}

  static ToolResult pass(EvidenceStore evidence) {
    return ToolResult.pass(List.of(evidence.put("seen", "it ran")), "it ran");
  }

  /** One that is another than it was. */
  static final class Other implements HandlerTool.Handler {
    @Override
    public ToolResult handle(ToolCall call, EvidenceStore evidence) {
      return ToolResult.pass(List.of(evidence.put("seen", "the other ran")), "the other ran");
    }
  }
}
