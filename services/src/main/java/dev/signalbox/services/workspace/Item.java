package dev.signalbox.services.workspace;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is at a path.
 *
 * @param mode the permission bits; 0 for a link, and where the system has none
 * @param content a file's SHA-256, a link's target, empty for anything else
 * @param modified when a file or a folder was changed last, in milliseconds since 1970; two items
 *     that differ in nothing else are the same
 */
public record Item(Kind kind, int mode, String content, long modified) {
  /** What kind of thing it is. */
  public enum Kind {
    FILE,
    LINK,
    FOLDER,
    /** A pipe, a socket or a device: known to be there, never opened, never made. */
    OTHER;

    /** As JSON writes it. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  boolean isFolder() {
    return kind == Kind.FOLDER;
  }

  /** Whether it is the same but for the time. */
  boolean same(@Nullable Item other) {
    return other != null
        && kind == other.kind
        && mode == other.mode
        && content.equals(other.content);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Item item && same(item);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, mode, content);
  }

  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("kind", kind.word());
    fields.put("mode", (long) mode);
    fields.put("content", content);
    fields.put("modified", modified);
    return fields;
  }

  static Item of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map
        && map.get("kind") instanceof String word
        && map.get("mode") instanceof Long mode
        && map.get("content") instanceof String content
        && map.get("modified") instanceof Long modified) {
      for (Kind kind : Kind.values()) {
        if (kind.word().equals(word)) {
          return new Item(kind, Math.toIntExact(mode), content, modified);
        }
      }
    }
    throw new IllegalArgumentException("Expected an item of a footprint, but found another thing.");
  }
}
