package dev.signalbox.services.notification;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Something that somebody is told.
 *
 * @param id the same wherever and whenever it is made from its entry; for dropping duplicates
 * @param cursor where it stands in the order of everything that is told
 * @param rule the name of the rule that made it
 * @param type what it is: a record's kind, {@code entered}, {@code refused} and so on
 * @param at when it happened, in milliseconds since 1970
 * @param data what the rule's source says; JSON values
 */
public record Notification(
    String id,
    Cursor cursor,
    String rule,
    Audience audience,
    String type,
    String instance,
    String machine,
    long sequence,
    long at,
    String text,
    Map<String, @Nullable Object> data) {

  /** The notification as one JSON object. */
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("id", id);
    map.put("audience", audience.word());
    map.put("rule", rule);
    map.put("type", type);
    map.put("instance", instance);
    map.put("machine", machine);
    map.put("sequence", sequence);
    map.put("at", at);
    map.put("text", text);
    map.put("data", data);
    return map;
  }
}
