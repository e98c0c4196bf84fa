package dev.signalbox.definition.check;

import dev.signalbox.kernel.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What is under way outside the instance's own snapshot. Immutable.
 *
 * @param effects for each reply that is awaited, how many effects will give it
 * @param inbox events the instance sent to itself, in order
 */
record Pending(Map<String, Integer> effects, List<Event> inbox) {
  static final Pending NOTHING = new Pending(Map.of(), List.of());

  /** From here on effects with the same reply are no longer counted. */
  static final int MANY = 3;

  Pending performing(String reply) {
    Map<String, Integer> more = new TreeMap<>(effects);
    more.merge(reply, 1, (a, b) -> Math.min(MANY, a + b));
    return new Pending(more, inbox);
  }

  Pending answered(String reply) {
    Map<String, Integer> fewer = new TreeMap<>(effects);
    fewer.computeIfPresent(reply, (_, n) -> n == MANY ? n : n == 1 ? null : n - 1);
    return new Pending(fewer.isEmpty() ? Map.of() : fewer, inbox);
  }

  Pending sending(Event event) {
    List<Event> more = new ArrayList<>(inbox);
    more.add(event);
    return new Pending(effects, List.copyOf(more));
  }

  Pending delivered() {
    return new Pending(effects, inbox.subList(1, inbox.size()).stream().toList());
  }

  /** Without the effects whose results nobody will hear. */
  Pending only(Set<String> replies) {
    if (replies.containsAll(effects.keySet())) {
      return this;
    }
    Map<String, Integer> fewer = new TreeMap<>(effects);
    fewer.keySet().retainAll(replies);
    return new Pending(fewer.isEmpty() ? Map.of() : fewer, inbox);
  }

  boolean isNothing() {
    return effects.isEmpty() && inbox.isEmpty();
  }
}
