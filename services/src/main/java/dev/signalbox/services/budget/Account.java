package dev.signalbox.services.budget;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * An account as it is opened.
 *
 * @param name of the account; what is before its last slash is the account above
 * @param limits how much of each unit
 * @param owner the instance that is told, or an empty text
 * @param exhaustedEvent the event it is sent when a reservation does not fit, or an empty text
 * @param replenishedEvent the event it is sent when there is more, or an empty text
 */
public record Account(
    String name,
    Map<String, Long> limits,
    String owner,
    String exhaustedEvent,
    String replenishedEvent) {

  static final long MOST = 90_000_000_000_000L;

  public Account {
    limits = Map.copyOf(limits);
    if (name.isBlank() || name.length() > 500 || name.startsWith("/") || name.endsWith("/")) {
      throw new IllegalArgumentException(
          "Expected a name such as 'session/agent-1' for an account, but found '%s'."
              .formatted(name));
    }
    if (limits.isEmpty() || limits.size() > 50) {
      throw new IllegalArgumentException(
          "Expected limits for 1 to 50 units of '%s', but found %d."
              .formatted(name, limits.size()));
    }
    limits.forEach((unit, limit) -> {
      if (unit.isBlank() || unit.length() > 100 || limit < 0 || limit > MOST) {
        throw new IllegalArgumentException(
            "Expected a limit of 0 to %,d for a unit with a name, but found %,d of '%s'."
                .formatted(MOST, limit, unit));
      }
    });
  }

  public static Account of(String name, Map<String, Long> limits) {
    return new Account(name, limits, "", "", "");
  }

  /** Sends the instance events when the account is exhausted and when it is replenished. */
  public Account telling(String instance, String whenExhausted, String whenReplenished) {
    return new Account(name, limits, instance, whenExhausted, whenReplenished);
  }

  /** The account's lines as the machine keeps them. */
  List<Map<String, Object>> lines() {
    List<Map<String, Object>> lines = new ArrayList<>();
    new TreeMap<>(limits)
        .forEach((unit, limit) -> {
          Map<String, Object> line = new LinkedHashMap<>();
          line.put(
              "of",
              Map.of(
                  "account", name,
                  "unit", unit,
                  "owner", owner,
                  "exhausted_event", exhaustedEvent,
                  "replenished_event", replenishedEvent));
          line.put("limit", limit);
          line.put("used", 0L);
          line.put("reserved", 0L);
          line.put("over", 0L);
          line.put("warned", 0L);
          line.put("exhausted", false);
          lines.add(line);
        });
    return lines;
  }
}
