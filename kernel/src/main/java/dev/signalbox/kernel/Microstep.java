package dev.signalbox.kernel;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One set of transitions taken together.
 *
 * @param event the name of the event that caused it; null for transitions without trigger
 * @param exited in exit order
 * @param entered in entry order
 */
public record Microstep(
    @Nullable String event, List<Edge> edges, List<String> exited, List<String> entered) {
  public Microstep {
    edges = List.copyOf(edges);
    exited = List.copyOf(exited);
    entered = List.copyOf(entered);
  }
}
