package dev.signalbox.services.workspace;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What became of a path.
 *
 * @param path relative to the folder
 * @param before null when it was not there
 * @param after null when it is gone
 */
public record Change(String path, @Nullable Item before, @Nullable Item after) {
  /** How it changed. */
  public enum Kind {
    ADDED,
    CHANGED,
    DELETED
  }

  /**
   * @throws IllegalArgumentException when nothing changed
   */
  public Change {
    if (before == null ? after == null : before.same(after)) {
      throw new IllegalArgumentException(
          "Expected a change of '%s', but found none.".formatted(path));
    }
  }

  public Kind kind() {
    return before == null ? Kind.ADDED : after == null ? Kind.DELETED : Kind.CHANGED;
  }

  /** Whether a file or a link is concerned, and not folders alone. */
  public boolean isOfFile() {
    return !(before == null || before.isFolder()) || !(after == null || after.isFolder());
  }

  /** As JSON values. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("path", path);
    fields.put("change", kind().name().toLowerCase(Locale.ROOT));
    if (before != null) {
      fields.put("before", before.fields());
    }
    if (after != null) {
      fields.put("after", after.fields());
    }
    return fields;
  }
}
