package dev.signalbox.definition.draw;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A thing with a place: a state, a point, or the whole picture. */
final class Box {
  static final double NOTE_HEIGHT = 15;
  private static final double NOTE_BADGE = 34;
  private static final double TITLE_HEIGHT = 26;
  private static final double ATOM_HEIGHT = 36;

  /** How a box looks. */
  enum Shape {
    /** The picture itself: a container without a frame. */
    CANVAS,
    ATOM,
    /** A container with a title bar. */
    GROUP,
    /** A child of a parallel state that has children: a container between dashed lines. */
    REGION,
    FINAL,
    /** An end without a name: a ring. */
    END,
    /** Where a container is entered: a dot. */
    START,
    HISTORY,
    CHOICE,
    BAR,
    /** Every state of the machine, as the source of the root's own transitions. */
    ANY,
    /** A target that does not exist. */
    GHOST
  }

  /**
   * One small line inside a box.
   *
   * @param label the transition without target that it tells, or null
   */
  record Note(String text, String tooltip, @Nullable Label label) {

    double width(boolean badges) {
      double words = Letters.width(text, Letters.SMALL);
      return label == null
          ? words
          : words + (label.timed() ? Label.CLOCK : 0) + (badges ? NOTE_BADGE : 0);
    }
  }

  final Shape shape;
  final @Nullable Box parent;

  /** The state's id; for a ghost the id that was not found; empty for what is not a state. */
  final String id;

  /** What is written on it; empty for a box without words. */
  final String name;

  /** The word for {@code data-kind}. */
  final String kind;

  final String tooltip;
  final List<Box> children = new ArrayList<>();
  final List<Note> notes = new ArrayList<>();

  double x;
  double y;
  double width;
  double height;

  Box(Shape shape, @Nullable Box parent, String id, String name, String kind, String tooltip) {
    this.shape = shape;
    this.parent = parent;
    this.id = id;
    this.name = name;
    this.kind = kind;
    this.tooltip = tooltip;
    if (parent != null) {
      parent.children.add(this);
    }
  }

  boolean isContainer() {
    return !children.isEmpty();
  }

  boolean isParallel() {
    return kind.equals("parallel");
  }

  boolean isHistory() {
    return shape == Shape.HISTORY;
  }

  /** How many boxes contain this one. */
  int depth() {
    return parent == null ? 0 : parent.depth() + 1;
  }

  boolean contains(Box other) {
    for (Box box = other; box != null; box = box.parent) {
      if (box == this) {
        return true;
      }
    }
    return false;
  }

  /** The height of the title bar of a container, without its notes. */
  double titleHeight() {
    return switch (shape) {
      case CANVAS -> 0;
      case REGION -> name.isEmpty() ? 0 : 20;
      case ATOM, GROUP, FINAL, END, START, HISTORY, CHOICE, BAR, ANY, GHOST -> TITLE_HEIGHT;
    };
  }

  /** The height that the title and the notes of a container take above its children. */
  double headHeight() {
    return titleHeight() + (notes.isEmpty() ? 0 : notes.size() * NOTE_HEIGHT + 6);
  }

  /** The least width in which all words fit. */
  double wordsWidth(boolean badges) {
    double widest = name.isEmpty() ? 0 : Letters.boldWidth(name, Letters.NAME) + 26;
    for (Note note : notes) {
      widest = Math.max(widest, note.width(badges) + 20);
    }
    return Math.ceil(widest);
  }

  /** Gives a box without children its size. */
  void measure(boolean sideways, boolean badges) {
    switch (shape) {
      case ATOM, GROUP, REGION, FINAL, ANY, GHOST -> {
        width = Math.max(76, wordsWidth(badges));
        height = notes.isEmpty() ? ATOM_HEIGHT : headHeight() + 4;
      }
      case END -> square(20);
      case START -> square(14);
      case HISTORY, CHOICE -> square(28);
      case BAR -> {
        width = sideways ? 6 : 70;
        height = sideways ? 70 : 6;
      }
      case CANVAS -> square(40);
    }
  }

  private void square(double side) {
    width = side;
    height = side;
  }
}
