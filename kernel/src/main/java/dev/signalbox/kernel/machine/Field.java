package dev.signalbox.kernel.machine;

import org.jspecify.annotations.Nullable;

/**
 * A declared field of the context.
 *
 * @param initial the value at the start; null leaves the field without a value
 * @param personal kept encrypted, erasable, never searchable
 * @param searchable indexed by the journal's queries
 * @param own the machine's alone: a start that gives it a value is refused
 */
public record Field(
    String name,
    Type type,
    @Nullable Operand initial,
    boolean personal,
    boolean searchable,
    boolean own) {

  /** A field that a start may give a value. */
  public Field(
      String name, Type type, @Nullable Operand initial, boolean personal, boolean searchable) {
    this(name, type, initial, personal, searchable, false);
  }

  public static Field of(String name, Type type, @Nullable Operand initial) {
    return new Field(name, type, initial, false, false);
  }
}
