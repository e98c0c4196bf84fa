package dev.signalbox.services.budget;

import java.util.LinkedHashMap;
import java.util.Map;

/** A reservation as the machine keeps it. */
record Held(String id, String account, Map<String, Long> amounts, long until) {

  static Held from(Map<?, ?> map) {
    Map<String, Long> amounts = new LinkedHashMap<>();
    if (map.get("amounts") instanceof Map<?, ?> all) {
      all.forEach((unit, amount) ->
          amounts.put(
              String.valueOf(unit), amount instanceof Number number ? number.longValue() : 0L));
    }
    return new Held(
        String.valueOf(map.get("id")),
        String.valueOf(map.get("account")),
        amounts,
        map.get("until") instanceof Number number ? number.longValue() : 0);
  }

  /** What names it in an event. */
  Map<String, Object> data() {
    return Map.of("reservation", id, "account", account, "amounts", amounts);
  }
}
