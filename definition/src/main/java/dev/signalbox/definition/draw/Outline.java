package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Wire.Point;
import java.util.ArrayList;
import java.util.List;

/** The lines of wires: where they touch their boxes, their corners and their heads. */
final class Outline {
  private static final double RADIUS = 7;
  private static final double HEAD = 8;
  private static final double HALF_HEAD = 3.8;

  private Outline() {}

  /** The points of the wire, its ends moved from the frames of its boxes to what is drawn there. */
  static List<Point> trim(Wire wire) {
    List<Point> points = new ArrayList<>(wire.points);
    int last = points.size() - 1;
    points.set(0, touch(wire.from, points.get(0), points.get(1)));
    points.set(last, touch(wire.to, points.get(last), points.get(last - 1)));
    return points;
  }

  /** A path through the points with rounded corners, that ends under the head. */
  static String path(List<Point> points) {
    StringBuilder d = new StringBuilder("M").append(at(points.getFirst()));
    for (int i = 1; i < points.size() - 1; i++) {
      Point corner = points.get(i);
      Point before = points.get(i - 1);
      Point after = points.get(i + 1);
      double room = Math.min(length(before, corner), length(corner, after)) / 2;
      double radius = Math.min(RADIUS, room);
      d.append('L').append(at(towards(corner, before, radius)));
      d.append('Q').append(at(corner)).append(' ').append(at(towards(corner, after, radius)));
    }
    Point end = points.getLast();
    Point before = points.get(points.size() - 2);
    double short_ = Math.min(HEAD - 2, length(before, end) / 2);
    return d.append('L').append(at(towards(end, before, short_))).toString();
  }

  static String head(List<Point> points) {
    Point tip = points.getLast();
    Point before = points.get(points.size() - 2);
    double length = length(before, tip);
    if (length == 0) {
      return "M" + at(tip);
    }
    double dx = (tip.x() - before.x()) / length;
    double dy = (tip.y() - before.y()) / length;
    double baseX = tip.x() - dx * HEAD;
    double baseY = tip.y() - dy * HEAD;
    Point left = new Point(baseX - dy * HALF_HEAD, baseY + dx * HALF_HEAD);
    Point right = new Point(baseX + dy * HALF_HEAD, baseY - dx * HALF_HEAD);
    return "M" + at(tip) + "L" + at(left) + "L" + at(right) + "z";
  }

  private static Point touch(Box box, Point end, Point next) {
    double cx = box.x + box.width / 2;
    double cy = box.y + box.height / 2;
    double radius = box.width / 2;
    boolean vertical = Math.abs(end.x() - next.x()) < 0.01;
    double off = Math.min(radius, Math.abs(vertical ? end.x() - cx : end.y() - cy));
    double reach =
        switch (box.shape) {
          case CHOICE -> radius - off;
          case END, HISTORY, START -> Math.sqrt(radius * radius - off * off);
          case CANVAS, ATOM, GROUP, REGION, FINAL, BAR, ANY, GHOST -> -1;
        };
    if (reach < 0) {
      return end;
    }
    return vertical
        ? new Point(end.x(), cy + Math.signum(next.y() - cy) * reach)
        : new Point(cx + Math.signum(next.x() - cx) * reach, end.y());
  }

  private static Point towards(Point from, Point to, double distance) {
    double length = length(from, to);
    if (length == 0) {
      return from;
    }
    double share = distance / length;
    return new Point(
        from.x() + (to.x() - from.x()) * share, from.y() + (to.y() - from.y()) * share);
  }

  private static double length(Point a, Point b) {
    return Math.hypot(a.x() - b.x(), a.y() - b.y());
  }

  private static String at(Point point) {
    return Xml.number(point.x()) + " " + Xml.number(point.y());
  }
}
