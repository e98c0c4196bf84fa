package dev.signalbox.systems.runs;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a run may use. Over a limit it halts.
 *
 * @param files changed by all tools together
 * @param minutes in EXECUTING, all visits together; 30 at most
 * @param retries of one tool
 * @param toolsAtATime how many tools that only read may run together
 */
public record RunLimits(
    long modelCalls, long tokens, long files, long minutes, long retries, long toolsAtATime) {
  /** What holds where a plan says nothing. */
  public static final RunLimits STANDARD = new RunLimits(100, 50_000, 20, 30, 3, 1);

  /** The most tools that may run together. */
  static final long MOST_TOGETHER = 8;

  /** As the machine has them. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("model_calls", modelCalls);
    fields.put("tokens", tokens);
    fields.put("files", files);
    fields.put("minutes", minutes);
    fields.put("retries", retries);
    fields.put("tools_at_a_time", toolsAtATime);
    return fields;
  }

  static RunLimits of(Map<?, ?> fields) {
    return new RunLimits(
        Form.whole(fields, "model_calls"),
        Form.whole(fields, "tokens"),
        Form.whole(fields, "files"),
        Form.whole(fields, "minutes"),
        Form.whole(fields, "retries"),
        Form.whole(fields, "tools_at_a_time"));
  }
}
