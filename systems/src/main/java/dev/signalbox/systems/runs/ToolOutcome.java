package dev.signalbox.systems.runs;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.EffectHandler.Call;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How tools and checks ended, as the machine is told. */
final class ToolOutcome {
  private static final int RESULT = 32 * 1024;

  private ToolOutcome() {}

  /** The risks that were found, in one line. */
  static String risks(ToolResult result) {
    return String.join("; ", result.risks().stream().map(risk -> risk.text()).toList());
  }

  /** The run does not want what was asked any more. */
  static Outcome unwanted(Call call) {
    return Outcome.failed(
        Map.of("why", "'%s' does not want %s any more".formatted(call.instance(), call.effect())));
  }

  /** Nothing ran, and the run halts. */
  static Outcome halted(ToolJob job, String why) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tool", job.name());
    data.put("status", ToolStatus.HALTED.word());
    data.put("evidence", List.of());
    data.put("result", Map.of());
    data.put("reason", why);
    data.put("model_calls", 0L);
    data.put("tokens", 0L);
    data.put("files", 0L);
    return Outcome.succeeded(data);
  }

  /** Nothing ran, and people are asked. */
  static Outcome asking(
      ToolJob job, String why, Map<String, Object> result, List<Evidence> evidence) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("tool", job.name());
    data.put("status", ToolStatus.NEEDS_APPROVAL.word());
    data.put("evidence", evidence.stream().map(Evidence::fields).toList());
    data.put("result", result);
    data.put("reason", why);
    data.put("model_calls", 0L);
    data.put("tokens", 0L);
    data.put("files", 0L);
    return Outcome.succeeded(data);
  }

  /**
   * It ended.
   *
   * @param what {@code tool} or {@code check}
   */
  static Outcome ended(
      String what,
      String name,
      String status,
      String message,
      ToolResult result,
      RunFolder.Changes changes,
      EvidenceStore store) {
    return ended(what, name, status, message, result, changes, store, Map.of());
  }

  /**
   * It ended. What is too long for the journal is evidence.
   *
   * @param more what else the journal keeps with the result
   */
  static Outcome ended(
      String what,
      String name,
      String status,
      String message,
      ToolResult result,
      RunFolder.Changes changes,
      EvidenceStore store,
      Map<String, Object> more) {
    List<Object> evidence = new ArrayList<>();
    result.evidence().forEach(each -> evidence.add(each.fields()));
    changes.evidence().forEach(each -> evidence.add(each.fields()));
    Map<String, Object> told = new LinkedHashMap<>(result.fields());
    told.remove("evidence");
    told.put("changed", changes.files());
    String json = Json.text(told);
    if (json.length() > RESULT) {
      evidence.add(store.put("result", json).fields());
      told.keySet().retainAll(List.of("status", "usage", "exit_code"));
    }
    told.putAll(more);
    Map<String, Object> data = new LinkedHashMap<>();
    data.put(what, name);
    data.put("status", status);
    data.put("evidence", evidence);
    data.put("result", told);
    data.put("reason", message.isEmpty() ? "'%s' ended with %s".formatted(name, status) : message);
    data.put("model_calls", result.usage().modelCalls());
    data.put("tokens", result.usage().tokens());
    data.put("files", Math.max(result.usage().files(), changes.files().size()));
    return Outcome.succeeded(data);
  }
}
