package dev.signalbox.definition.check;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of a condition whose value is compared with constants, such as {@code ctx.retries} or
 * {@code size(event.tools)}. Two terms with the same text have the same value as long as what they
 * read has not changed.
 *
 * @param parts for a sum of numbers, each with what it is multiplied by; else empty
 * @param path the names of a plain path such as {@code ctx.a.b}; empty for anything else
 * @param size whether the term is the size of what is at the path
 * @param fields the context fields it reads
 * @param wholeContext whether it may read any field
 * @param event whether it reads the current event or who sent it
 * @param momentary whether it reads the current time, so that its value holds for one step only
 * @param settled whether its value changes only with what it is known to read; active states and
 *     loop variables change without notice
 */
record Term(
    String text,
    Map<Term, Long> parts,
    List<String> path,
    boolean size,
    Set<String> fields,
    boolean wholeContext,
    boolean event,
    boolean momentary,
    boolean settled) {

  Term {
    parts = Collections.unmodifiableMap(parts);
    path = List.copyOf(path);
    fields = Set.copyOf(fields);
  }

  /** A term that is read as it stands. */
  static Term plain(
      String text,
      List<String> path,
      boolean size,
      Set<String> fields,
      boolean wholeContext,
      boolean event,
      boolean momentary,
      boolean settled) {
    return new Term(text, Map.of(), path, size, fields, wholeContext, event, momentary, settled);
  }

  /** The context field of the name. */
  static Term field(String root, String name) {
    return plain(
        root + "." + name, List.of(root, name), false, Set.of(name), false, false, false, true);
  }

  /** How long the list, map or text is. */
  Term length() {
    return new Term(
        "size(" + text + ")",
        Map.of(),
        path,
        !path.isEmpty(),
        fields,
        wholeContext,
        event,
        momentary,
        settled);
  }

  /**
   * A sum of numbers.
   *
   * @param parts in the order of their texts
   */
  static Term sum(Map<Term, Long> parts) {
    Set<String> fields = new HashSet<>();
    StringBuilder text = new StringBuilder();
    boolean wholeContext = false;
    boolean event = false;
    boolean momentary = false;
    boolean settled = true;
    for (Map.Entry<Term, Long> part : parts.entrySet()) {
      Term term = part.getKey();
      text.append(text.isEmpty() ? "" : " + ").append(part.getValue()).append(" * ").append(term);
      fields.addAll(term.fields);
      wholeContext |= term.wholeContext;
      event |= term.event;
      momentary |= term.momentary;
      settled &= term.settled;
    }
    return new Term(
        text.toString(),
        new LinkedHashMap<>(parts),
        List.of(),
        false,
        fields,
        wholeContext,
        event,
        momentary,
        settled);
  }

  boolean isSum() {
    return !parts.isEmpty();
  }

  /** Whether it is one number less another, which tells how the two compare. */
  boolean isDifference() {
    return parts.size() == 2 && parts.containsValue(1L) && parts.containsValue(-1L);
  }

  /** Whether an assignment to the field can change the value. */
  boolean reads(String field) {
    return wholeContext || fields.contains(field);
  }

  boolean isPath() {
    return !path.isEmpty() && !size;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Term that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
