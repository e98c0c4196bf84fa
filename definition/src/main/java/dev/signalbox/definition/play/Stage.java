package dev.signalbox.definition.play;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a play stands when someone looks before time goes on.
 *
 * @param states all active states of the root instance; none when its start was refused
 * @param leaves the innermost of them
 * @param awaited the events that a transition of the states waits for
 * @param now on the manual clock, in milliseconds
 * @param nextDue when the next timer of any instance falls due, or null
 * @param done whether the root instance reached a final state of its machine
 * @param stopped why nothing more can be played, or null
 */
public record Stage(
    List<Entry> entries,
    List<String> states,
    List<String> leaves,
    Map<String, @Nullable Object> context,
    List<String> awaited,
    long now,
    @Nullable Long nextDue,
    boolean done,
    @Nullable String stopped) {

  public Stage {
    entries = List.copyOf(entries);
    states = List.copyOf(states);
    leaves = List.copyOf(leaves);
    context = Collections.unmodifiableMap(new LinkedHashMap<>(context));
    awaited = List.copyOf(awaited);
  }
}
