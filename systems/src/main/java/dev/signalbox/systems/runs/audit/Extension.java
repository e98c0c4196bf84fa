package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.tool.Tool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Somebody who looks beside the rules of an auditor: a model, a person or a command. What is found
 * is added to what the rules found.
 */
@FunctionalInterface
public interface Extension {
  /**
   * What it finds; empty for nothing.
   *
   * @throws Exception when it can't look, which is a finding that stops
   */
  List<Finding> look(AuditedRun run, Verdict rules) throws Exception;

  /**
   * A command. A pass without risks finds nothing, risks below high are notes, and everything else
   * stops.
   */
  static Extension command(Tool tool, ToolCall call) {
    return command(tool, call, _ -> {});
  }

  /**
   * A command, and what is done with what it used.
   *
   * @param used is told before anything is found
   */
  static Extension command(Tool tool, ToolCall call, Consumer<ToolUsage> used) {
    return (run, _) -> {
      ToolResult result = tool.run(call, run.evidence());
      used.accept(result.usage());
      List<Finding> findings = new ArrayList<>();
      result
          .risks()
          .forEach(risk ->
              findings.add(
                  new Finding(
                      risk.level().compareTo(Risk.HIGH) >= 0
                          ? Judgement.STOP
                          : Judgement.CONTAMINATED,
                      "command",
                      call.name(),
                      risk.text())));
      switch (result.status()) {
        case PASS -> {}
        case NEEDS_APPROVAL ->
            findings.add(
                new Finding(Judgement.CONTAMINATED, "command", call.name(), result.message()));
        case FAIL, HALTED ->
            findings.add(new Finding(Judgement.STOP, "command", call.name(), result.message()));
      }
      return findings;
    };
  }
}
