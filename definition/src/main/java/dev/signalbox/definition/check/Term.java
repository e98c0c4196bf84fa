package dev.signalbox.definition.check;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of a condition whose value is compared with constants, such as {@code ctx.retries} or
 * {@code size(event.tools)}. Two terms with the same text have the same value as long as what they
 * read has not changed.
 *
 * @param minus for the difference of two terms, what is taken away from {@code of}; else null
 * @param of for the difference of two terms, the first; else null
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
    @Nullable Term of,
    @Nullable Term minus,
    List<String> path,
    boolean size,
    Set<String> fields,
    boolean wholeContext,
    boolean event,
    boolean momentary,
    boolean settled) {

  Term {
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
    return new Term(text, null, null, path, size, fields, wholeContext, event, momentary, settled);
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
        null,
        null,
        path,
        !path.isEmpty(),
        fields,
        wholeContext,
        event,
        momentary,
        settled);
  }

  /** One number less another. */
  static Term difference(Term of, Term minus) {
    Set<String> fields = new HashSet<>(of.fields);
    fields.addAll(minus.fields);
    return new Term(
        of.text + " - " + minus.text,
        of,
        minus,
        List.of(),
        false,
        fields,
        of.wholeContext || minus.wholeContext,
        of.event || minus.event,
        of.momentary || minus.momentary,
        of.settled && minus.settled);
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
