package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Wire.Point;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The dashed lines between the regions of a parallel state. */
final class Regions {

  /** A straight line from one point to another. */
  record Divider(Point from, Point to) {}

  private Regions() {}

  /**
   * One line between each two neighbours where the regions stand side by side or one above the
   * other. Where wires between the regions have put them otherwise, each gets a frame of lines.
   */
  static List<Divider> dividers(Box parallel) {
    List<Box> regions = parallel.children.stream().filter(box -> !box.isHistory()).toList();
    double top = parallel.y + parallel.headHeight();
    double bottom = parallel.y + parallel.height;
    double right = parallel.x + parallel.width;
    List<Divider> dividers = new ArrayList<>();
    for (double x : gaps(regions, box -> box.x, box -> box.x + box.width)) {
      dividers.add(new Divider(new Point(x, top), new Point(x, bottom)));
    }
    if (dividers.isEmpty()) {
      for (double y : gaps(regions, box -> box.y, box -> box.y + box.height)) {
        dividers.add(new Divider(new Point(parallel.x, y), new Point(right, y)));
      }
    }
    if (dividers.isEmpty() && regions.size() > 1) {
      regions.forEach(region -> frame(region, dividers));
    }
    return dividers;
  }

  /** The middles of the gaps between neighbours, or nothing when two of them overlap. */
  private static List<Double> gaps(
      List<Box> regions, ToDoubleFunction<Box> start, ToDoubleFunction<Box> end) {
    List<Box> sorted = regions.stream().sorted(Comparator.comparingDouble(start)).toList();
    List<Double> gaps = new ArrayList<>();
    for (int i = 1; i < sorted.size(); i++) {
      double before = end.applyAsDouble(sorted.get(i - 1));
      double after = start.applyAsDouble(sorted.get(i));
      if (after < before) {
        return List.of();
      }
      gaps.add((before + after) / 2);
    }
    return gaps;
  }

  private static void frame(Box box, List<Divider> dividers) {
    Point a = new Point(box.x, box.y);
    Point b = new Point(box.x + box.width, box.y);
    Point c = new Point(box.x + box.width, box.y + box.height);
    Point d = new Point(box.x, box.y + box.height);
    dividers.add(new Divider(a, b));
    dividers.add(new Divider(b, c));
    dividers.add(new Divider(c, d));
    dividers.add(new Divider(d, a));
  }
}
