package dev.signalbox.systems.runs.frozen;

import java.util.List;

/**
 * An action in the order in which a run does it.
 *
 * @param reviews the ids of the nodes that want a person to look before it
 */
public record Step(Node.Action action, List<String> reviews) {
  public Step {
    reviews = List.copyOf(reviews);
  }
}
