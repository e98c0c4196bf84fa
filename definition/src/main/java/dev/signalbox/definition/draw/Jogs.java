package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Wire.Point;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes small steps out of lines. A layout that balances boxes leaves lines that go aside by a few
 * points and on in the same direction; a person reads such a step as a mistake.
 *
 * <pre>
 *      |            |
 *      +-+    -->   |
 *        |          |
 * </pre>
 */
final class Jogs {
  /** The widest step that is taken out. */
  private static final double STEP = 8;

  /** How near a moved line may come to another, and to the corner of its box. */
  private static final double CLEARANCE = 6;

  private final Sketch sketch;

  private Jogs(Sketch sketch) {
    this.sketch = sketch;
  }

  static void straighten(Sketch sketch) {
    Jogs jogs = new Jogs(sketch);
    for (Wire wire : sketch.wires()) {
      boolean changed = true;
      while (changed) {
        changed = jogs.straighten(wire);
      }
    }
  }

  /** Takes one step out, if there is one that can be. */
  private boolean straighten(Wire wire) {
    for (int i = 0; i + 3 < wire.points.size(); i++) {
      List<Point> better = moveAfter(wire, i);
      if (better == null) {
        better = moveBefore(wire, i);
      }
      if (better != null) {
        wire.points = better;
        return true;
      }
    }
    return false;
  }

  /** Moves the part after the step onto the part before it. */
  private @Nullable List<Point> moveAfter(Wire wire, int i) {
    List<Point> points = wire.points;
    Point a = points.get(i);
    Point b = points.get(i + 1);
    Point c = points.get(i + 2);
    Point d = points.get(i + 3);
    if (!isStep(a, b, c, d)) {
      return null;
    }
    Point moved = isVertical(a, b) ? new Point(b.x(), d.y()) : new Point(d.x(), b.y());
    boolean last = i + 3 == points.size() - 1;
    if (!isFree(wire, b, moved, c, d) || (last && !isOn(wire.to, moved))) {
      return null;
    }
    List<Point> better = new ArrayList<>(points.subList(0, i + 1));
    better.add(moved);
    better.addAll(points.subList(i + 4, points.size()));
    return better;
  }

  /** Moves the part before the step onto the part after it. */
  private @Nullable List<Point> moveBefore(Wire wire, int i) {
    List<Point> points = wire.points;
    Point a = points.get(i);
    Point b = points.get(i + 1);
    Point c = points.get(i + 2);
    Point d = points.get(i + 3);
    if (!isStep(a, b, c, d)) {
      return null;
    }
    Point moved = isVertical(a, b) ? new Point(c.x(), a.y()) : new Point(a.x(), c.y());
    if (!isFree(wire, moved, c, a, b) || (i == 0 && !isOn(wire.from, moved))) {
      return null;
    }
    List<Point> better = new ArrayList<>(points.subList(0, i));
    better.add(moved);
    better.addAll(points.subList(i + 3, points.size()));
    return better;
  }

  private static boolean isStep(Point a, Point b, Point c, Point d) {
    if (isVertical(a, b)) {
      return isVertical(c, d)
          && Math.abs(b.x() - c.x()) <= STEP
          && Math.signum(b.y() - a.y()) == Math.signum(d.y() - c.y());
    }
    return !isVertical(c, d)
        && Math.abs(b.y() - c.y()) <= STEP
        && Math.signum(b.x() - a.x()) == Math.signum(d.x() - c.x());
  }

  private static boolean isVertical(Point a, Point b) {
    return Math.abs(a.x() - b.x()) < Math.abs(a.y() - b.y());
  }

  /** Whether the point is on the straight part of the box's frame. */
  private static boolean isOn(Box box, Point point) {
    boolean straight =
        switch (box.shape) {
          case ATOM, GROUP, FINAL, BAR, GHOST, CANVAS, REGION -> true;
          case END, START, HISTORY, CHOICE, ANY -> false;
        };
    boolean level = Math.abs(point.y() - box.y) < 1 || Math.abs(point.y() - box.y - box.height) < 1;
    boolean inside =
        level
            ? point.x() >= box.x + CLEARANCE && point.x() <= box.x + box.width - CLEARANCE
            : point.y() >= box.y + CLEARANCE && point.y() <= box.y + box.height - CLEARANCE;
    return straight && inside;
  }

  /**
   * Whether a part with its new place stays clear of other wires, and has no words to take along.
   */
  private boolean isFree(Wire wire, Point from, Point to, Point oldFrom, Point oldTo) {
    if (wire.hasWords() && crossesWords(wire, oldFrom, oldTo)) {
      return false;
    }
    for (Wire other : sketch.wires()) {
      // A part that has company already is part of a trunk, whose lines lie on each other.
      if (other != wire
          && (isNear(other, oldFrom, oldTo)
              || isNear(other, from, to)
              || crossesWords(other, from, to))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNear(Wire wire, Point from, Point to) {
    for (int i = 1; i < wire.points.size(); i++) {
      Point a = wire.points.get(i - 1);
      Point b = wire.points.get(i);
      if (isVertical(a, b) == isVertical(from, to)
          && overlap(a.x(), b.x(), from.x(), to.x(), CLEARANCE)
          && overlap(a.y(), b.y(), from.y(), to.y(), CLEARANCE)) {
        return true;
      }
    }
    return false;
  }

  private static boolean crossesWords(Wire wire, Point from, Point to) {
    if (!wire.hasWords()) {
      return false;
    }
    double x = wire.labelAt.x();
    double y = wire.labelAt.y();
    return overlap(x, x + wire.labelSize.x(), from.x(), to.x(), 0)
        && overlap(y, y + wire.labelSize.y(), from.y(), to.y(), 0);
  }

  private static boolean overlap(double a, double b, double c, double d, double clearance) {
    return Math.min(a, b) < Math.max(c, d) + clearance
        && Math.min(c, d) < Math.max(a, b) + clearance;
  }
}
