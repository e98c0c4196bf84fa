package dev.signalbox.services.tool;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a call used up.
 *
 * @param files how many it changed, as far as it knows
 */
public record ToolUsage(long modelCalls, long tokens, long files) {
  private static final long MOST = 1_000_000_000_000L;

  public static final ToolUsage NONE = new ToolUsage(0, 0, 0);

  /**
   * @throws IllegalArgumentException when a number is negative or absurd
   */
  public ToolUsage {
    counted(modelCalls, "model_calls");
    counted(tokens, "tokens");
    counted(files, "files");
  }

  /** What two calls used together; absurd numbers stay at the most that one may have. */
  public ToolUsage plus(ToolUsage other) {
    return new ToolUsage(
        Math.min(MOST, modelCalls + other.modelCalls),
        Math.min(MOST, tokens + other.tokens),
        Math.min(MOST, files + other.files));
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("model_calls", modelCalls);
    fields.put("tokens", tokens);
    fields.put("files", files);
    return fields;
  }

  /**
   * From JSON values; what is absent is 0.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  public static ToolUsage of(@Nullable Object value) {
    if (value == null) {
      return NONE;
    }
    if (!(value instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException(
          "Expected 'usage' to be an object, but found something else.");
    }
    ResultFields.only(map, "usage", "model_calls", "tokens", "files");
    return new ToolUsage(number(map, "model_calls"), number(map, "tokens"), number(map, "files"));
  }

  private static long number(Map<?, ?> map, String name) {
    Object value = map.get(name);
    if (value == null) {
      return 0;
    }
    if (value instanceof Long number) {
      return number;
    }
    throw new IllegalArgumentException(
        "Expected '%s' of usage to be a whole number, but found something else.".formatted(name));
  }

  private static void counted(long number, String what) {
    if (number < 0 || number > MOST) {
      throw new IllegalArgumentException(
          "Expected %s of 0 to %,d, but found %,d.".formatted(what, MOST, number));
    }
  }
}
