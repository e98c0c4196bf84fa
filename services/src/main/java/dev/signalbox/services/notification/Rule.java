package dev.signalbox.services.notification;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Which entries become a notification for whom.
 *
 * @param on what is looked for in an entry
 * @param names which of them: record kinds, states, event names or rejection codes; one star stands
 *     for anything; empty for all
 * @param machines of which machines, in the same way
 * @param text what is said; {@code {instance}}, {@code {machine}}, {@code {states}}, {@code
 *     {event}}, {@code {actor}} and {@code {what}} are filled in
 */
public record Rule(
    String name,
    Audience audience,
    Occasion on,
    List<String> names,
    List<String> machines,
    String text) {

  /** What an entry can tell. */
  public enum Occasion {
    /** A record that a step emitted. */
    RECORD,
    /** A state that a step entered. */
    ENTERED,
    /** A step, whatever it did. */
    STEP,
    /** A timer that fired. */
    TIMER,
    /** A refusal. */
    REFUSED,
    /** An instance that takes no more events. */
    ENDED,
    /** What a sweep put right. */
    CORRECTED
  }

  public Rule {
    names = List.copyOf(names);
    machines = List.copyOf(machines);
  }

  boolean wants(String machine) {
    return isAny(machines, machine);
  }

  boolean names(String what) {
    return isAny(names, what);
  }

  private static boolean isAny(List<String> wanted, String name) {
    return wanted.isEmpty() || wanted.stream().anyMatch(pattern -> fits(pattern, name));
  }

  private static boolean fits(String pattern, String name) {
    int star = pattern.indexOf('*');
    return star < 0
        ? name.equals(pattern)
        : name.length() >= pattern.length() - 1
            && name.startsWith(pattern.substring(0, star))
            && name.endsWith(pattern.substring(star + 1));
  }

  static final Pattern PLACEHOLDER =
      Pattern.compile("\\{(instance|machine|states|event|actor|what)}");
}
