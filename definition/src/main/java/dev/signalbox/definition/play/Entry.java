package dev.signalbox.definition.play;

import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Event;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One step of a play, or a refusal.
 *
 * @param sequence from 1 for each instance; a refusal repeats the number of the step before it
 * @param time on the manual clock, in milliseconds since 1970
 * @param event what was sent; for a start, the platform's own event
 * @param before the innermost active states before it
 * @param after the innermost active states after it
 */
public record Entry(
    String instance,
    long sequence,
    long time,
    Event event,
    List<String> before,
    List<String> after,
    Answer answer) {

  public Entry {
    before = List.copyOf(before);
    after = List.copyOf(after);
  }

  /** The entry as a JSON value, for one line of a transcript. Empty parts are left out. */
  public Map<String, @Nullable Object> json() {
    return EntryJson.of(this);
  }
}
