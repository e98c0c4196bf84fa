package dev.signalbox.kernel;

import java.util.List;

/**
 * A transition as people speak of it.
 *
 * @param trigger as written: an event, {@code after 5m}, or empty
 * @param to empty for a transition without target
 */
public record Edge(String from, String trigger, List<String> to) {
  public Edge {
    to = List.copyOf(to);
  }
}
