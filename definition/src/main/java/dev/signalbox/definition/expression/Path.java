package dev.signalbox.definition.expression;

import java.util.List;
import java.util.stream.Stream;

/** The fields from the event's data, or from its sender, to a value; {@code *} is any item. */
record Path(Node.Name root, List<String> fields) {
  static final String ITEM = "*";

  Path with(String field) {
    return new Path(root, Stream.concat(fields.stream(), Stream.of(field)).toList());
  }

  boolean startsWith(Path other) {
    return root == other.root
        && fields.size() >= other.fields.size()
        && fields.subList(0, other.fields.size()).equals(other.fields);
  }
}
