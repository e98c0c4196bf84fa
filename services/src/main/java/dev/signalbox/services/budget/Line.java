package dev.signalbox.services.budget;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an account has of one unit.
 *
 * @param used settled in this period
 * @param reserved taken and not settled yet
 * @param over how much of what was used had not been reserved
 * @param exhausted whether its owner was told so in this period
 */
public record Line(
    String account,
    String unit,
    long limit,
    long used,
    long reserved,
    long over,
    boolean exhausted) {

  /** What may still be reserved here; the accounts above may have less. */
  public long left() {
    return Math.max(0, limit - used - reserved);
  }

  static Line from(Map<?, ?> map) {
    Map<?, ?> of = map.get("of") instanceof Map<?, ?> names ? names : Map.of();
    return new Line(
        String.valueOf(of.get("account")),
        String.valueOf(of.get("unit")),
        number(map.get("limit")),
        number(map.get("used")),
        number(map.get("reserved")),
        number(map.get("over")),
        Boolean.TRUE.equals(map.get("exhausted")));
  }

  private static long number(@Nullable Object value) {
    return value instanceof Number number ? number.longValue() : 0;
  }

  boolean isAbove(String name) {
    return name.equals(account) || name.startsWith(account + "/");
  }
}
