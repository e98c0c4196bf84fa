package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Limits;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * About how many bytes a value has as JSON. What is shared counts as often as it would be written,
 * and nobody counts further than the limit: a value of a few objects may have more leaves than
 * anyone can walk.
 */
public final class Size {
  private static final long SMALL = 8;

  private long left;

  private Size(long left) {
    this.left = left;
  }

  /** Whether the value has no parts and no length. */
  static boolean isSmall(@Nullable Object value) {
    return !(value instanceof String || value instanceof List<?> || value instanceof Map<?, ?>);
  }

  /**
   * The size, or something above the limit.
   *
   * @throws LimitException when it is nested deeper than any step may make it
   */
  public static long of(@Nullable Object value, long limit) {
    if (value instanceof String text) {
      return text.length() + 2L;
    }
    if (isSmall(value)) {
      return SMALL;
    }
    Size size = new Size(limit);
    size.count(value, 0, Limits.LEVELS);
    return limit - size.left;
  }

  /** The size of what is known to be finite, such as what was read from a store. */
  static long ofKnown(@Nullable Object value) {
    if (value instanceof String text) {
      return text.length() + 2L;
    }
    if (isSmall(value)) {
      return SMALL;
    }
    Size size = new Size(Long.MAX_VALUE);
    size.count(value, 0, Integer.MAX_VALUE);
    return Long.MAX_VALUE - size.left;
  }

  private void count(@Nullable Object value, int level, int levels) {
    if (value instanceof String text) {
      left -= text.length() + 2L;
    } else if (value instanceof List<?> list) {
      deeper(level, levels);
      left -= 2L + list.size();
      for (int i = 0; i < list.size() && left >= 0; i++) {
        count(list.get(i), level + 1, levels);
      }
    } else if (value instanceof Map<?, ?> map) {
      deeper(level, levels);
      left -= 2L + 4L * map.size();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        if (left < 0) {
          return;
        }
        left -= entry.getKey() instanceof String key ? key.length() : SMALL;
        count(entry.getValue(), level + 1, levels);
      }
    } else {
      left -= SMALL;
    }
  }

  private static void deeper(int level, int levels) {
    if (level >= levels) {
      throw new LimitException("%d levels of lists and maps".formatted(levels));
    }
  }
}
