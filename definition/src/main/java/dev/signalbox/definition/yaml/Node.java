package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import java.util.List;

/** A part of a YAML document and its place. */
sealed interface Node {
  Place place();

  /**
   * A text, number, truth value or nothing.
   *
   * @param first the place of the text's first character, behind an opening quote
   */
  record Scalar(Place place, Place first, String text, Kind kind) implements Node {}

  record Sequence(Place place, List<Node> items) implements Node {}

  record Mapping(Place place, List<Entry> entries) implements Node {}

  record Entry(Node key, Node value) {}

  /** What a scalar is by the core schema of YAML 1.2. */
  enum Kind {
    TEXT,
    NOTHING,
    BOOL,
    INT,
    DOUBLE
  }

  /** The node in the words of a problem. */
  default String described() {
    return switch (this) {
      case Mapping _ -> "a map";
      case Sequence _ -> "a list";
      case Scalar scalar ->
          switch (scalar.kind) {
            case TEXT -> "the text '" + Reading.shortened(scalar.text) + "'";
            case NOTHING -> "nothing";
            case BOOL -> scalar.text;
            case INT, DOUBLE -> "the number " + Reading.shortened(scalar.text);
          };
    };
  }

  default boolean isNothing() {
    return this instanceof Scalar scalar && scalar.kind == Kind.NOTHING;
  }
}
