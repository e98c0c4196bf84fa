package dev.signalbox.services.evidence;

import dev.signalbox.services.Sha256;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A reference to stored bytes.
 *
 * @param name what it is to whoever names it, such as {@code stdout}; unique in one result
 * @param sha256 the hash of the bytes, in hexadecimal
 * @param bytes how many they are
 */
public record Evidence(String name, String sha256, long bytes) {
  private static final int NAME = 200;

  /**
   * @throws IllegalArgumentException when the name is empty or long, or the hash is none
   */
  public Evidence {
    if (name.isBlank() || name.length() > NAME) {
      throw new IllegalArgumentException(
          "Expected a name of 1 to %d characters for evidence, but it has %d."
              .formatted(NAME, name.length()));
    }
    if (!Sha256.isHash(sha256)) {
      throw new IllegalArgumentException(
          "Expected a SHA-256 in hexadecimal for evidence '%s', but found something else."
              .formatted(name));
    }
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "Expected evidence '%s' to have bytes, but found %d.".formatted(name, bytes));
    }
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("name", name);
    fields.put("sha256", sha256);
    fields.put("bytes", bytes);
    return fields;
  }

  /**
   * From JSON values.
   *
   * @throws IllegalArgumentException when they are of another form
   */
  public static Evidence of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map
        && map.get("name") instanceof String name
        && map.get("sha256") instanceof String sha256
        && map.get("bytes") instanceof Long bytes) {
      return new Evidence(name, sha256, bytes);
    }
    throw new IllegalArgumentException(
        "Expected evidence with 'name', 'sha256' and 'bytes', but found something else.");
  }
}
