package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Options.Direction;
import dev.signalbox.definition.draw.Wire.Point;
import java.util.List;

/**
 * The layout for machines that are too large for a better one: boxes in rows, in the order of the
 * definition, with straight wires whose words are tooltips. It takes time linear in the machine.
 */
final class ShelfLayout {
  private static final double GAP = 24;
  private static final double PADDING = 16;

  private ShelfLayout() {}

  static void place(Sketch sketch, Options options) {
    boolean sideways = options.direction() == Direction.RIGHT;
    size(sketch.canvas(), sideways, options.badges());
    settle(sketch.canvas());
    for (Wire wire : sketch.wires()) {
      route(wire);
    }
  }

  private static void size(Box box, boolean sideways, boolean badges) {
    if (!box.isContainer()) {
      box.measure(sideways, badges);
      return;
    }
    double area = 0;
    double widest = 0;
    for (Box child : box.children) {
      size(child, sideways, badges);
      area += (child.width + GAP) * (child.height + GAP);
      widest = Math.max(widest, child.width);
    }
    double limit = Math.max(widest, Math.sqrt(area * 1.6));
    double top = box.headHeight() + PADDING;
    double x = PADDING;
    double y = top;
    double rowHeight = 0;
    double right = 0;
    for (Box child : box.children) {
      if (x > PADDING && x + child.width > PADDING + limit) {
        x = PADDING;
        y += rowHeight + GAP;
        rowHeight = 0;
      }
      child.x = x;
      child.y = y;
      x += child.width + GAP;
      right = Math.max(right, x - GAP);
      rowHeight = Math.max(rowHeight, child.height);
    }
    box.width = Math.max(right + PADDING, box.wordsWidth(badges));
    box.height = y + rowHeight + PADDING;
  }

  private static void settle(Box box) {
    for (Box child : box.children) {
      child.x += box.x;
      child.y += box.y;
      settle(child);
    }
  }

  private static void route(Wire wire) {
    wire.wordy = false;
    wire.straight = true;
    Box from = wire.from;
    Box to = wire.to;
    if (from == to) {
      double right = from.x + from.width;
      wire.points =
          List.of(
              new Point(right, from.y + 10),
              new Point(right + 10, from.y + 10),
              new Point(right + 10, from.y + 22),
              new Point(right, from.y + 22));
      return;
    }
    Point start = center(from);
    Point end = center(to);
    if (from.contains(to)) {
      start = new Point(from.x + 2, end.y());
    } else if (to.contains(from)) {
      end = new Point(to.x + 2, start.y());
    }
    wire.points =
        List.of(
            from.contains(to) ? start : border(from, start, end),
            to.contains(from) ? end : border(to, end, start));
  }

  private static Point center(Box box) {
    return new Point(box.x + box.width / 2, box.y + box.height / 2);
  }

  /** Where the straight line from the middle of the box to the other point leaves the box. */
  private static Point border(Box box, Point middle, Point other) {
    double dx = other.x() - middle.x();
    double dy = other.y() - middle.y();
    double stretch =
        Math.min(
            dx == 0 ? 1 : box.width / 2 / Math.abs(dx),
            dy == 0 ? 1 : box.height / 2 / Math.abs(dy));
    double share = Math.min(1, stretch);
    return new Point(middle.x() + dx * share, middle.y() + dy * share);
  }
}
