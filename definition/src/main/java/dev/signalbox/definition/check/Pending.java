package dev.signalbox.definition.check;

import dev.signalbox.kernel.Event;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What is under way outside the instance's own snapshot. Immutable.
 *
 * @param effects for each kind of work that is under way, how often it is
 * @param inbox events the instance sent to itself, in order
 * @param messages how many events are on their way to others, each of which may come back as
 *     undeliverable
 * @param strays children that were cancelled, whose end may be on its way all the same
 * @param echoes events that were sent to somebody who may be the instance itself, by names that the
 *     door would not let in with whatever data
 */
record Pending(
    Map<Work, Integer> effects,
    List<Event> inbox,
    int messages,
    Set<String> strays,
    Set<String> echoes) {
  static final Pending NOTHING = new Pending(Map.of(), List.of(), 0, Set.of(), Set.of());

  /** From here on equal things are no longer counted. */
  static final int MANY = 3;

  /**
   * An effect that was asked for.
   *
   * @param reply the first part of the events that tell its end
   * @param during the state with which it ends; empty where it is done in any case
   */
  record Work(String reply, String during) implements Comparable<Work> {
    private static final Comparator<Work> ORDER =
        Comparator.comparing(Work::reply).thenComparing(Work::during);

    @Override
    public int compareTo(Work other) {
      return ORDER.compare(this, other);
    }
  }

  Pending performing(Work work) {
    Map<Work, Integer> more = new TreeMap<>(effects);
    more.merge(work, 1, (a, b) -> Math.min(MANY, a + b));
    return new Pending(more, inbox, messages, strays, echoes);
  }

  Pending answered(Work work) {
    Map<Work, Integer> fewer = new TreeMap<>(effects);
    fewer.computeIfPresent(work, (_, n) -> n == MANY ? n : n == 1 ? null : n - 1);
    return withEffects(fewer);
  }

  private Pending withEffects(Map<Work, Integer> some) {
    return new Pending(some.isEmpty() ? Map.of() : some, inbox, messages, strays, echoes);
  }

  /** Without the effects that ended with a state that was left. */
  Pending without(Predicate<Work> ended) {
    if (effects.keySet().stream().noneMatch(ended)) {
      return this;
    }
    Map<Work, Integer> fewer = new TreeMap<>(effects);
    fewer.keySet().removeIf(ended);
    return withEffects(fewer);
  }

  Pending sending(Event event) {
    List<Event> more = new ArrayList<>(inbox);
    more.add(event);
    return new Pending(effects, List.copyOf(more), messages, strays, echoes);
  }

  /** The different events that may arrive next: two nodes may deliver in either order. */
  Set<Event> arriving() {
    return new LinkedHashSet<>(inbox);
  }

  Pending delivered(Event event) {
    List<Event> fewer = new ArrayList<>(inbox);
    fewer.remove(event);
    return new Pending(effects, List.copyOf(fewer), messages, strays, echoes);
  }

  /** With another event on its way to somebody else. */
  Pending telling() {
    return new Pending(effects, inbox, Math.min(MANY, messages + 1), strays, echoes);
  }

  Pending bounced() {
    return messages == MANY ? this : new Pending(effects, inbox, messages - 1, strays, echoes);
  }

  /** With an event of the name on its way to somebody who may be the instance itself. */
  Pending echoing(String event) {
    Set<String> more = new TreeSet<>(echoes);
    more.add(event);
    return new Pending(effects, inbox, messages, strays, more);
  }

  Pending losing(String child) {
    Set<String> more = new TreeSet<>(strays);
    more.add(child);
    return new Pending(effects, inbox, messages, more, echoes);
  }

  Pending found(String child) {
    Set<String> fewer = new TreeSet<>(strays);
    fewer.remove(child);
    return new Pending(effects, inbox, messages, fewer.isEmpty() ? Set.of() : fewer, echoes);
  }

  /**
   * Without what nobody will hear.
   *
   * @param heard whether something may hear the event, now or later
   */
  Pending only(Predicate<String> heard) {
    Pending left =
        without(
            work -> Alphabet.OUTCOMES.stream().noneMatch(o -> heard.test(work.reply() + "." + o)));
    boolean bounces = messages > 0 && heard.test(Alphabet.BOUNCED);
    Set<String> ends = new TreeSet<>(strays);
    ends.removeIf(child -> !heard.test("done.invoke." + child));
    Set<String> back = new TreeSet<>(echoes);
    back.removeIf(event -> !event.equals(Alphabet.ANY_OTHER) && !heard.test(event));
    return new Pending(
        left.effects,
        inbox,
        bounces ? messages : 0,
        ends.isEmpty() ? Set.of() : ends,
        back.isEmpty() ? Set.of() : back);
  }

  /** Whether nothing is under way that certainly comes. */
  boolean isNothing() {
    return effects.isEmpty() && inbox.isEmpty();
  }
}
