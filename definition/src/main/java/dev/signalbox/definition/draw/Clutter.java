package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Wire.Point;

/** How hard a picture is to read: long lines, many bends, much paper. Less is better. */
final class Clutter {
  private static final double BEND = 25;
  private static final double PAPER = 1.0 / 400;

  private Clutter() {}

  static double of(Sketch sketch) {
    double clutter = sketch.canvas().width * sketch.canvas().height * PAPER;
    for (Wire wire : sketch.wires()) {
      clutter += BEND * (wire.points.size() - 2);
      for (int i = 1; i < wire.points.size(); i++) {
        Point a = wire.points.get(i - 1);
        Point b = wire.points.get(i);
        clutter += Math.abs(a.x() - b.x()) + Math.abs(a.y() - b.y());
      }
    }
    return clutter;
  }
}
