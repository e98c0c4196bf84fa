package dev.signalbox.runtime;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Snapshot;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An instance as it stands.
 *
 * @param number the store's own name for it; younger instances have larger ones on one node
 * @param states all active states
 * @param leaves the innermost active states
 * @param status live, paused, halted, ended or erased; unreadable where the row is none that its
 *     machine can go on from, and then states, context and deadlines are empty
 * @param since when it came into its states, in milliseconds since 1970
 * @param deadlines its pending timers
 * @param awaited the events that a transition of its states waits for
 * @param output the data of the final state it reached, or null
 */
public record Instance(
    long number,
    String id,
    String machine,
    int version,
    @Nullable String parent,
    List<String> states,
    List<String> leaves,
    Map<String, @Nullable Object> context,
    String status,
    long sequence,
    String hash,
    long refusals,
    long since,
    List<Deadline> deadlines,
    List<String> awaited,
    @Nullable Object output) {

  /** A pending timer. */
  public record Deadline(String id, @Nullable String state, String event, long due) {}

  private static final String UNREADABLE = "unreadable";

  /** Whether its row says what it is; otherwise only a sweep or a person can help it. */
  public boolean isReadable() {
    return !status.equals(UNREADABLE);
  }

  /** The first of its innermost states; no state's name where its row can't be read. */
  public String leaf() {
    return leaves.isEmpty() ? "(%s)".formatted(status) : leaves.getFirst();
  }

  /** What is known of an instance whose row can't be read. */
  static Instance unreadable(@Nullable PublishedChart machine, InstanceRow row) {
    return new Instance(
        row.number(),
        row.id(),
        machine == null ? "(unknown)" : machine.published.name(),
        machine == null ? 0 : machine.published.version(),
        row.parent(),
        List.of(),
        List.of(),
        Map.of(),
        UNREADABLE,
        row.sequence(),
        HexFormat.of().formatHex(row.head()),
        row.refusals(),
        row.since(),
        List.of(),
        List.of(),
        null);
  }

  static Instance of(PublishedChart machine, InstanceRow row, Snapshot snapshot) {
    return new Instance(
        row.number(),
        row.id(),
        machine.published.name(),
        machine.published.version(),
        row.parent(),
        snapshot.configuration().states(),
        snapshot.configuration().leaves(),
        snapshot.context().asMap(),
        Seal.isErased(row.snapshot()) ? "erased" : row.status().name().toLowerCase(Locale.ROOT),
        row.sequence(),
        HexFormat.of().formatHex(row.head()),
        row.refusals(),
        row.since(),
        snapshot.memory().timers().stream()
            .map(t -> new Deadline(t.id(), t.state(), t.message().event().name(), t.due()))
            .toList(),
        row.status() == InstanceRow.Status.LIVE
            ? machine.chart.awaited(snapshot.configuration())
            : List.of(),
        snapshot.memory().output());
  }
}
