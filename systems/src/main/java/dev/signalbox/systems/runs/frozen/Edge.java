package dev.signalbox.systems.runs.frozen;

import dev.signalbox.definition.Place;
import java.util.Locale;

/**
 * An edge of an execution graph: what comes before what.
 *
 * @param when what has to be settled where a conditional edge begins; empty for the others
 * @param place where it stands in the graph's text
 */
public record Edge(String from, String to, Type type, String when, Place place) {

  /** Why one comes before the other. */
  public enum Type {
    SEQUENTIAL,
    PARALLEL,
    CONDITIONAL,
    FALLBACK;

    /** As graphs write it. */
    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
