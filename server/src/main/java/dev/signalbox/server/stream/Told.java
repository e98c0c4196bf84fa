package dev.signalbox.server.stream;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.FeedEntry;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry, ready to be sent.
 *
 * @param kind as in the entry: {@code start}, {@code event} …, {@code refusal}
 * @param states the innermost active states afterwards
 * @param frame the bytes of the server-sent event
 */
record Told(
    long position,
    String machine,
    String instance,
    String kind,
    List<String> states,
    byte[] frame) {

  /** The entry; null when its text is gone, because its instance was archived. */
  static @Nullable Told of(FeedEntry entry) {
    if (entry.isArchived()) {
      return null;
    }
    Object kind = entry.body().get("kind");
    List<String> states =
        entry.body().get("states") instanceof List<?> list
            ? list.stream().map(String::valueOf).toList()
            : List.of();
    String head =
        "id: %d\nevent: %s\ndata: {\"position\":%d,\"machine\":%s,\"hash\":\"%s\",\"entry\":"
            .formatted(
                entry.position(),
                entry.isRefusal() ? "refusal" : "entry",
                entry.position(),
                Json.text(entry.machine()),
                HexFormat.of().formatHex(entry.hash()));
    byte[] before = head.getBytes(StandardCharsets.UTF_8);
    byte[] body = entry.bytes();
    byte[] after = "}\n\n".getBytes(StandardCharsets.UTF_8);
    byte[] frame = new byte[before.length + body.length + after.length];
    System.arraycopy(before, 0, frame, 0, before.length);
    System.arraycopy(body, 0, frame, before.length, body.length);
    System.arraycopy(after, 0, frame, before.length + body.length, after.length);
    return new Told(
        entry.position(), entry.machine(), entry.instance(), String.valueOf(kind), states, frame);
  }
}
