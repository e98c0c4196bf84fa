package dev.signalbox.definition.draw;

import dev.signalbox.kernel.Edge;
import java.util.Map;
import java.util.Set;

/**
 * What a picture shows beyond the machine: where instances are and were. It never changes the
 * layout, only colours and the figures in badges.
 *
 * @param active ids of the states that are active now
 * @param visited ids of the states that have been active
 * @param taken transitions that have been taken
 * @param counts a figure for a state, such as how many instances are in it
 * @param flows a figure for a transition, such as how often it was taken
 */
public record Highlight(
    Set<String> active,
    Set<String> visited,
    Set<Edge> taken,
    Map<String, Long> counts,
    Map<Edge, Long> flows) {

  public static final Highlight NONE =
      new Highlight(Set.of(), Set.of(), Set.of(), Map.of(), Map.of());

  public Highlight {
    active = Set.copyOf(active);
    visited = Set.copyOf(visited);
    taken = Set.copyOf(taken);
    counts = Map.copyOf(counts);
    flows = Map.copyOf(flows);
  }

  public static Highlight active(Set<String> states) {
    return new Highlight(states, Set.of(), Set.of(), Map.of(), Map.of());
  }
}
