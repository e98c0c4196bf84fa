package dev.signalbox.definition.draw;

import java.util.ArrayList;
import java.util.List;

/**
 * The boxes and wires of one picture; a layout gives them their places.
 *
 * @param canvas contains all boxes
 */
record Sketch(Box canvas, List<Wire> wires) {

  /** Whether the wires go around boxes, as every layout but the simplest lets them. */
  boolean isLayered() {
    return wires.stream().noneMatch(wire -> wire.straight);
  }

  /** Leaves out what lines and boxes say beyond the names of states. */
  void silence() {
    wires.forEach(wire -> wire.wordy = false);
    boxes().forEach(box -> box.notes.clear());
  }

  /** Every box below the canvas, each before its children. */
  List<Box> boxes() {
    List<Box> all = new ArrayList<>();
    collect(canvas, all);
    return all;
  }

  private static void collect(Box box, List<Box> all) {
    for (Box child : box.children) {
      all.add(child);
      collect(child, all);
    }
  }
}
