package dev.signalbox.services.tool;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How much a call may take.
 *
 * @param time how long it may take in all
 * @param outputBytes how much it may say: standard output and standard error each, or the answer's
 *     body
 */
public record ToolLimits(Duration time, long outputBytes) {
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final long MOST = 16L << 20;

  public static final ToolLimits STANDARD = new ToolLimits(Duration.ofMinutes(5), 1L << 20);

  /**
   * @throws IllegalArgumentException when they are nothing, or more than a day or 16 MiB
   */
  public ToolLimits {
    if (time.isNegative() || time.isZero() || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "Expected a tool's time to be more than nothing and at most a day, but found %s."
              .formatted(time));
    }
    if (outputBytes < 1 || outputBytes > MOST) {
      throw new IllegalArgumentException(
          "Expected a tool's output to be 1 to %,d bytes, but found %,d."
              .formatted(MOST, outputBytes));
    }
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("time_ms", time.toMillis());
    fields.put("output_bytes", outputBytes);
    return fields;
  }
}
