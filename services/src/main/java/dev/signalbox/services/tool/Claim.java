package dev.signalbox.services.tool;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that a tool says it has checked.
 *
 * @param text what
 * @param evidence the names of the result's evidence that show it; a claim without any proves
 *     nothing
 */
public record Claim(String text, List<String> evidence) {

  /**
   * @throws IllegalArgumentException when it is empty or over a limit
   */
  public Claim {
    ResultFields.text(text, "a checked item");
    evidence = ResultFields.texts(evidence, "the evidence of a checked item");
  }

  public static Claim of(String text, String... evidence) {
    return new Claim(text, List.of(evidence));
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("claim", text);
    fields.put("evidence", evidence);
    return fields;
  }

  /**
   * From JSON values: an object with {@code claim} and {@code evidence}, or a text alone.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  public static Claim of(@Nullable Object value) {
    if (value instanceof String text) {
      return new Claim(text, List.of());
    }
    if (value instanceof Map<?, ?> map && map.get("claim") instanceof String text) {
      ResultFields.only(map, "checked", "claim", "evidence");
      return new Claim(text, ResultFields.list(map.get("evidence"), "evidence"));
    }
    throw new IllegalArgumentException(
        "Expected an item of 'checked' to be a text or to have a 'claim', but found something"
            + " else.");
  }
}
