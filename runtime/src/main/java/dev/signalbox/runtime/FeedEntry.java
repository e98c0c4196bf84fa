package dev.signalbox.runtime;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.PublishedMachine;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An entry as the feed gives it. What the store keeps beside the text is there at once; the text is
 * read when something of it is asked for, once. An entry whose instance was archived has no text
 * any more: {@link #isArchived} says so, and everything read from it is empty.
 */
public final class FeedEntry {
  private final CommittedEntry entry;
  private final PublishedMachine machine;
  private final Seals seals;
  private @Nullable Map<String, @Nullable Object> body;

  FeedEntry(CommittedEntry entry, PublishedMachine machine, Seals seals) {
    this.entry = entry;
    this.machine = machine;
    this.seals = seals;
  }

  /** Where it stands in the store's order. */
  public long position() {
    return entry.row().position();
  }

  /** The id of the instance. */
  public String instance() {
    return entry.id();
  }

  /** The store's own number of the instance. */
  public long number() {
    return entry.row().instance();
  }

  /** The name of the instance's machine. */
  public String machine() {
    return machine.name();
  }

  /** The version that the instance has now; before a migration it had another. */
  public int version() {
    return machine.version();
  }

  public boolean isRefusal() {
    return entry.row().chain() == Chain.REFUSALS;
  }

  /** The how many-th step it is, or the how many-th refusal. */
  public long sequence() {
    return entry.row().sequence();
  }

  public byte[] hash() {
    return entry.row().hash();
  }

  /** The idempotency key of the command, or null. */
  public @Nullable String key() {
    return entry.row().key();
  }

  public boolean isArchived() {
    return entry.row().body().length == 0;
  }

  /** The text as it was hashed: canonical JSON in UTF-8. */
  public byte[] bytes() {
    return entry.row().body();
  }

  /**
   * Everything the entry says; the fields are those of the journal's format. A sealed entry is
   * opened; one whose instance was erased has its clear part alone.
   */
  @SuppressWarnings("unchecked")
  public Map<String, @Nullable Object> body() {
    Map<String, @Nullable Object> known = body;
    if (known == null) {
      // Two threads may read it both; they read the same.
      known =
          isArchived()
              ? Map.of()
              : (Map<String, @Nullable Object>) seals.whole(Ledger.body(entry.row()));
      body = known;
    }
    return known;
  }

  /** What it is: start, event, timer, message, effect and so on, or refusal. */
  public String kind() {
    return Objects.requireNonNullElse((String) body().get("kind"), "");
  }

  /** When it was written, in milliseconds since 1970; 0 when archived. */
  public long at() {
    return body().get("at") instanceof Long at ? at : 0;
  }

  /** The innermost active states afterwards. */
  public List<String> states() {
    return list("states").stream().map(String::valueOf).toList();
  }

  /** The event that caused it: name, data, actor and so on. */
  public Map<String, @Nullable Object> event() {
    return map(body().get("event"));
  }

  public String eventName() {
    return Objects.requireNonNullElse((String) event().get("name"), "");
  }

  /** What the step emitted. */
  public List<Emitted> records() {
    return list("records").stream()
        .map(r -> {
          Map<String, @Nullable Object> each = map(r);
          return new Emitted(String.valueOf(each.get("kind")), each.get("data"));
        })
        .toList();
  }

  /** A record that a step emitted. */
  public record Emitted(String kind, @Nullable Object data) {}

  /** The code of a refusal; empty for a step. */
  public String code() {
    return Objects.requireNonNullElse((String) body().get("code"), "");
  }

  /** What a refusal says; empty for a step. */
  public String message() {
    return Objects.requireNonNullElse((String) body().get("message"), "");
  }

  /** Whether the instance takes no more events after it. */
  public boolean isEnd() {
    return Boolean.TRUE.equals(body().get("ended"));
  }

  private List<?> list(String field) {
    return body().get(field) instanceof List<?> list ? list : List.of();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
  }

  @Override
  public String toString() {
    return position() + " " + instance() + (isRefusal() ? " refusal " : " ") + sequence();
  }
}
