package dev.signalbox.systems;

import dev.signalbox.kernel.machine.Durations;
import java.util.Optional;

/**
 * One line of a transition table.
 *
 * @param trigger {@code event}, {@code event[guard]}, {@code after 5m}, or empty at the start
 */
record Row(String from, String trigger, String to) {

  /** The row with its duration written in one way, so that 1d and 24h are the same. */
  Row normal() {
    if (!trigger.startsWith("after ")) {
      return this;
    }
    Optional<String> duration = Durations.parse(trigger.substring(6)).map(Durations::text);
    return new Row(from, "after " + duration.orElse(trigger.substring(6)), to);
  }

  @Override
  public String toString() {
    return trigger.isEmpty() ? from + " -> " + to : from + " --" + trigger + "--> " + to;
  }
}
