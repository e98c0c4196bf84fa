package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads how often an effect is tried. */
final class RetryReader {
  private static final Set<String> KEYS =
      TypeReader.ordered("attempts", "backoff", "factor", "most", "on");

  private final Reading reading;
  private final Values values;

  RetryReader(Reading reading, Values values) {
    this.reading = reading;
    this.values = values;
  }

  /** Null when nothing is said. */
  @Nullable Retry read(@Nullable Node node, boolean idempotent) {
    Keys keys = node == null ? null : Keys.of(reading, node, "'retry'", KEYS);
    if (keys == null) {
      return null;
    }
    return new Retry(
        keys.number("attempts", 1, Retry.MOST_ATTEMPTS, Retry.ATTEMPTS),
        duration(keys.node("backoff"), Retry.BACKOFF),
        keys.number("factor", 1, Retry.MOST_FACTOR, Retry.FACTOR),
        duration(keys.node("most"), Retry.MOST),
        failures(keys.node("on"), idempotent));
  }

  private Duration duration(@Nullable Node node, Duration usual) {
    Duration duration = node == null ? null : values.duration(node);
    return duration == null ? usual : duration;
  }

  private List<Retry.Failure> failures(@Nullable Node node, boolean idempotent) {
    if (node == null) {
      return Retry.Failure.usual(idempotent);
    }
    List<Node> items = node instanceof Node.Sequence list ? list.items() : List.of(node);
    List<Retry.Failure> failures = new ArrayList<>();
    for (Node item : items) {
      String word = Keys.name(reading, item, "a failure");
      Optional<Retry.Failure> failure = word == null ? Optional.empty() : Retry.Failure.of(word);
      failure.ifPresent(failures::add);
      if (word != null && failure.isEmpty()) {
        reading.error(
            "bad-retry",
            item.place(),
            "Expected not_started, thrown or cut_off, but found '%s'."
                .formatted(Reading.shortened(word)),
            "");
      }
    }
    return failures;
  }
}
