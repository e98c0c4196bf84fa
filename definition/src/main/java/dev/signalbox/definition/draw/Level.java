package dev.signalbox.definition.draw;

/**
 * A wire as the innermost container of both its ends sees it: from one of the container's children
 * to another. A wire between a container and something inside it goes from the box to itself.
 */
record Level(Box from, Box to) {

  static Level of(Wire wire) {
    if (wire.from.contains(wire.to)) {
      return new Level(wire.from, wire.from);
    }
    if (wire.to.contains(wire.from)) {
      return new Level(wire.to, wire.to);
    }
    Box from = wire.from;
    while (from.parent != null && !from.parent.contains(wire.to)) {
      from = from.parent;
    }
    Box to = wire.to;
    while (to.parent != null && !to.parent.contains(wire.from)) {
      to = to.parent;
    }
    return new Level(from, to);
  }
}
