package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.systems.Values;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A line of a log that can't be changed without showing: canonical JSON whose {@code previous} is
 * the hash of the line before, and whose {@code hash} is the SHA-256 of the line without it.
 *
 * @param fields all of them
 */
record ChainedLine(Map<String, @Nullable Object> fields) {

  /** The line that follows another one. */
  static ChainedLine after(String previous, Map<String, @Nullable Object> content) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>(content);
    fields.put("previous", previous);
    fields.put("hash", Sha256.hex(CanonicalJson.text(fields)));
    return new ChainedLine(fields);
  }

  /** What the run's log says of an entry. */
  static ChainedLine ofLog(
      String previous,
      String run,
      Map<String, @Nullable Object> entry,
      String entryHash,
      String from,
      String to) {
    Map<String, @Nullable Object> event = Values.map(entry.get("event"));
    Map<String, @Nullable Object> actor = Values.map(event.get("actor"));
    Map<String, @Nullable Object> content = new LinkedHashMap<>();
    content.put("run_id", run);
    content.put("sequence", entry.get("sequence"));
    content.put("at", StateDocument.time(entry));
    content.put("kind", Values.text(entry.get("kind")));
    content.put("event", Values.text(event.get("name")));
    content.put("actor", Values.text(actor.get("name")));
    content.put("actor_kind", Values.text(actor.get("kind")));
    content.put("from", from);
    content.put("to", to);
    content.put("states", Values.list(entry.get("states")));
    content.put(
        "evidence",
        Values.list(Values.map(event.get("data")).get("evidence")).stream()
            .map(Values::map)
            .filter(piece -> Sha256.isHash(Values.text(piece.get("sha256"))))
            .map(piece ->
                Map.of(
                    "name",
                    Values.text(piece.get("name")),
                    "sha256",
                    Values.text(piece.get("sha256"))))
            .toList());
    content.put("entry", entryHash);
    return after(previous, content);
  }

  /** What the ledger says of a transition that the log has. */
  static ChainedLine ofLedger(String previous, long position, ChainedLine log) {
    Map<String, @Nullable Object> content = new LinkedHashMap<>();
    content.put("position", position);
    for (String field : List.of("run_id", "sequence", "at", "event", "actor", "from", "to")) {
      content.put(field, log.fields.get(field));
    }
    content.put("log", log.hash());
    return after(previous, content);
  }

  /** The line as it was read, or null when it is not written as one. */
  static @Nullable ChainedLine read(String text) {
    try {
      Map<String, @Nullable Object> fields = Values.map(Json.parse(text));
      return !fields.isEmpty() && CanonicalJson.text(fields).equals(text)
          ? new ChainedLine(fields)
          : null;
    } catch (Json.SyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether it has the hash that it says. */
  boolean isWhole() {
    Map<String, @Nullable Object> content = new LinkedHashMap<>(fields);
    content.remove("hash");
    return Sha256.hex(CanonicalJson.text(content)).equals(hash());
  }

  String hash() {
    return text("hash");
  }

  String previous() {
    return text("previous");
  }

  String text(String field) {
    return Values.text(fields.get(field));
  }

  long number(String field) {
    return fields.get(field) instanceof Long number ? number : -1;
  }

  /** Whether the run changed its state. */
  boolean isTransition() {
    return !text("from").equals(text("to"));
  }

  byte[] bytes() {
    return (CanonicalJson.text(fields) + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
