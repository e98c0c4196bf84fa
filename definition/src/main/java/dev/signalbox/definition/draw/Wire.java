package dev.signalbox.definition.draw;

import java.util.ArrayList;
import java.util.List;

/** All transitions from one box to another, drawn as one line. */
final class Wire {

  /** A place on the canvas. */
  record Point(double x, double y) {}

  final Box from;
  final Box to;

  /** The word for the element's class: transition, initial, default or branch. */
  final String kind;

  final List<Label> labels = new ArrayList<>();

  /** From the border of the first box to that of the second, at least two. */
  List<Point> points = List.of();

  /** Where the wire meets others of the same trunk. */
  List<Point> junctions = List.of();

  /** The left upper corner of the labels. */
  Point labelAt = new Point(0, 0);

  /** The width and height of the labels. */
  Point labelSize = new Point(0, 0);

  /** Whether its last part is the trunk of a sink. */
  boolean shared;

  /** Whether the words are drawn; otherwise they are tooltips only. */
  boolean wordy = true;

  /** Whether it goes straight across everything, as in a picture too large for a layout. */
  boolean straight;

  Wire(Box from, Box to, String kind) {
    this.from = from;
    this.to = to;
    this.kind = kind;
  }

  /** Whether room is needed for words. */
  boolean hasWords() {
    return wordy && labels.stream().anyMatch(label -> !label.isEmpty());
  }

  boolean isTimed() {
    return !labels.isEmpty() && labels.stream().allMatch(Label::timed);
  }

  double labelWidth(boolean badges) {
    double widest = 0;
    for (Label label : labels) {
      widest = Math.max(widest, label.width(badges));
    }
    return Math.ceil(widest + 10);
  }

  double labelHeight() {
    return labels.stream().mapToDouble(Label::height).sum() + 4;
  }
}
