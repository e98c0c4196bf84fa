package dev.signalbox.definition.check;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A part of a condition whose value is compared with constants, such as {@code ctx.retries} or
 * {@code size(event.tools)}. Two terms with the same text have the same value as long as what they
 * read has not changed.
 *
 * @param path the names of a plain path such as {@code ctx.a.b}; empty for anything else
 * @param size whether the term is the size of what is at the path
 * @param fields the context fields it reads
 * @param wholeContext whether it may read any field
 * @param event whether it reads the current event or who sent it
 * @param settled whether it reads nothing but the context, the event and constants; the current
 *     time, active states and loop variables change without notice
 */
record Term(
    String text,
    List<String> path,
    boolean size,
    Set<String> fields,
    boolean wholeContext,
    boolean event,
    boolean settled) {

  Term {
    path = List.copyOf(path);
    fields = Set.copyOf(fields);
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
