package dev.signalbox.definition.play;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a play gave.
 *
 * @param states the innermost states in which the root instance ended
 * @param done whether it reached a final state of its machine
 * @param stopped why the play ended before nothing was left to do, or null
 */
public record Transcript(
    List<Entry> entries, List<String> states, boolean done, @Nullable String stopped) {

  public Transcript {
    entries = List.copyOf(entries);
    states = List.copyOf(states);
  }

  /** The last line: {@code {"file":…,"states":[…],"final":…}}. */
  public Map<String, @Nullable Object> summary(String file) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("file", file);
    json.put("states", states);
    json.put("final", done);
    if (stopped != null) {
      json.put("stopped", stopped);
    }
    return json;
  }
}
