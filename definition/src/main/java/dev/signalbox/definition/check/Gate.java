package dev.signalbox.definition.check;

import dev.signalbox.definition.play.Stimulus;
import java.util.List;

/**
 * What it takes to come into a state that an invariant protects: the fewest people that were found
 * to reach it together, whatever a start may give.
 *
 * @param found whether a way was found; otherwise there are no actors, roles or events
 * @param actors how many different users and agents send the events; whoever starts it, the engine
 *     and other instances are not counted
 * @param roles what the door asks of them; also parts of the program and machines that must send
 * @param events a way that needs no more than that
 * @param shortenedBy the fields of a start that make it shorter than what the machine declares:
 *     fewer actors, fewer roles or fewer events
 * @param note what the search does not know; empty when it was not given up
 */
public record Gate(
    String state,
    boolean found,
    int actors,
    List<String> roles,
    List<Stimulus> events,
    List<String> shortenedBy,
    String note) {

  public Gate {
    roles = List.copyOf(roles);
    events = List.copyOf(events);
    shortenedBy = List.copyOf(shortenedBy);
  }
}
