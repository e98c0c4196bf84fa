package dev.signalbox.services.tool;

import dev.signalbox.services.approval.Risk;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A risk that a tool found.
 *
 * @param level high means that a person is to be asked, critical that nothing may go on
 */
public record ToolRisk(Risk level, String text) {

  /**
   * @throws IllegalArgumentException when it is empty or over a limit
   */
  public ToolRisk {
    ResultFields.text(text, "a risk");
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("level", level.word());
    fields.put("text", text);
    return fields;
  }

  /**
   * From JSON values.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  public static ToolRisk of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map
        && map.get("level") instanceof String level
        && map.get("text") instanceof String text) {
      ResultFields.only(map, "risks", "level", "text");
      for (Risk risk : Risk.values()) {
        if (risk.word().equals(level)) {
          return new ToolRisk(risk, text);
        }
      }
    }
    throw new IllegalArgumentException(
        "Expected an item of 'risks' to have a 'level' of low, medium, high or critical and a"
            + " 'text', but found something else.");
  }
}
