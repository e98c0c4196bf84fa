package dev.signalbox.kernel.machine;

import org.jspecify.annotations.Nullable;

/** Something that is seen to happen in a microstep, and that invariants speak about. */
public sealed interface Fact {

  /** A state is entered. */
  record Enters(String state) implements Fact {}

  /** One microstep leaves {@code from} and enters {@code to}. */
  record Moves(String from, String to) implements Fact {}

  /** An event that matches the descriptor is taken. */
  record Receives(String event) implements Fact {}

  /**
   * A record of the kind is emitted.
   *
   * @param field the field of the record that tells individuals apart, or null
   */
  record Emits(String kind, @Nullable String field) implements Fact {}

  /** The field that tells individuals apart, or null when the fact is about the instance. */
  default @Nullable String key() {
    return this instanceof Emits emits ? emits.field() : null;
  }

  /** The fact as definitions write it. */
  default String text() {
    return switch (this) {
      case Enters(String state) -> state;
      case Moves(String from, String to) -> from + " -> " + to;
      case Receives(String event) -> "event " + event;
      case Emits(String kind, String field) ->
          "record " + kind + (field == null ? "" : " by " + field);
    };
  }
}
