package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Box.Note;
import dev.signalbox.definition.draw.Box.Shape;
import dev.signalbox.definition.draw.Wire.Point;
import dev.signalbox.kernel.machine.Machine;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a sketch that has its places. From back to front: containers, lines, boxes, words on
 * lines; so a line never crosses a word.
 */
final class SvgWriter {
  private static final double HEADING = 40;

  /** The width of a badge. */
  private static final double PILL = 30;

  private final Machine machine;
  private final Sketch sketch;
  private final Options options;
  private final String prefix;
  private final Set<String> names = new HashSet<>();
  private final Xml out = new Xml();

  SvgWriter(Machine machine, Sketch sketch, Options options) {
    this.machine = machine;
    this.sketch = sketch;
    this.options = options;
    this.prefix = Xml.name(machine.name()) + ".";
  }

  String write() {
    open();
    List<Box> boxes = sketch.boxes();
    out.raw("<g class=\"containers\">\n");
    boxes.stream().filter(Box::isContainer).forEach(this::container);
    out.raw("</g>\n<g class=\"edges" + (sketch.isLayered() ? "" : " rows") + "\">\n");
    sketch.wires().stream().sorted(Comparator.comparingInt(this::depth)).forEach(this::edge);
    out.raw("</g>\n<g class=\"titles\">\n");
    boxes.stream().filter(Box::isContainer).forEach(this::title);
    out.raw("</g>\n<g class=\"states\">\n");
    boxes.stream().filter(box -> !box.isContainer()).forEach(this::box);
    out.raw("</g>\n<g class=\"labels\">\n");
    sketch.wires().forEach(this::labels);
    out.raw("</g>\n</svg>\n");
    return out.toString();
  }

  private void open() {
    double top = options.title() ? -HEADING : 0;
    String heading = Letters.clip(Xml.visible(machine.name()), 80);
    double room =
        options.title() ? Letters.boldWidth(heading + "  v" + machine.version(), 15) + 40 : 0;
    double width = Math.max(sketch.canvas().width, room);
    double height = sketch.canvas().height - top;
    out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    String theme = options.theme().name().toLowerCase(Locale.ROOT);
    out.attribute("class", "signalbox-drawing " + theme).attribute("role", "img");
    out.attribute("aria-label", "State machine " + machine.name());
    out.attribute("data-machine", machine.name()).attribute("data-version", machine.version());
    out.attribute("width", width).attribute("height", height);
    out.raw(" viewBox=\"0 " + Xml.number(top) + " " + Xml.number(width) + " ");
    out.raw(Xml.number(height) + "\">\n<style>\n").raw(Palette.SHAPES);
    switch (options.theme()) {
      case LIGHT -> out.raw(Palette.LIGHT.css(theme));
      case DARK -> out.raw(Palette.DARK.css(theme));
      case AUTO -> {
        out.raw(Palette.LIGHT.css(theme)).raw("@media (prefers-color-scheme:dark){\n");
        out.raw(Palette.DARK.css(theme)).raw("}\n");
      }
    }
    out.raw("</style>\n<rect class=\"canvas\" x=\"0\"").attribute("y", top);
    out.attribute("width", width).attribute("height", height).raw("/>\n");
    if (!sketch.isLayered()) {
      out.raw("<!-- Too large for a layered layout: boxes in rows, words as tooltips. -->\n");
      out.raw("<text class=\"caption\" x=\"16\"").attribute("y", sketch.canvas().height - 6);
      out.raw(">Too large for a layered layout: what lines say is in their tooltips.</text>\n");
    }
    if (options.title()) {
      out.raw("<text class=\"heading\" x=\"16\" y=\"-14\">").text(heading);
      out.raw(" <tspan class=\"version\">v" + machine.version() + "</tspan></text>\n");
    }
  }

  private void container(Box box) {
    openState(box);
    if (box.shape != Shape.REGION) {
      rect("body", box, 0, 8);
      double right = box.x + box.width;
      double bottom = box.y + box.titleHeight();
      out.raw("<path class=\"bar\" d=\"M" + at(box.x + 0.7, bottom) + "V" + n(box.y + 8));
      out.raw("Q" + at(box.x + 0.7, box.y + 0.7) + " " + at(box.x + 8, box.y + 0.7));
      out.raw("H" + n(right - 8) + "Q" + at(right - 0.7, box.y + 0.7) + " ");
      out.raw(at(right - 0.7, box.y + 8) + "V" + n(bottom) + "z\"/>");
    }
    if (box.isParallel()) {
      for (Regions.Divider divider : Regions.dividers(box)) {
        out.raw("<path class=\"divider\" d=\"M" + at(divider.from().x(), divider.from().y()));
        out.raw("L" + at(divider.to().x(), divider.to().y()) + "\"/>");
      }
    }
    out.raw("</g>\n");
  }

  /** The words of a container, in front of the lines that enter it. */
  private void title(Box box) {
    out.raw("<g").attribute("class", box.shape == Shape.REGION ? "title region" : "title");
    out.attribute("data-title", box.id).raw(">").title(box.tooltip);
    if (!box.name.isEmpty()) {
      double width = Letters.boldWidth(box.name, Letters.NAME) + 8;
      double y = box.y + (box.shape == Shape.REGION ? 2 : 3);
      plate(box.shape == Shape.REGION ? "plate" : "bar", box.x + 6, y, width, 18);
      name(box, box.x + 10, y + 14, "start");
    }
    double widest = 0;
    for (Note note : box.notes) {
      widest = Math.max(widest, note.width(options.badges()) + 8);
    }
    if (widest > 0) {
      double height = box.notes.size() * Box.NOTE_HEIGHT + 2;
      plate("plate", box.x + 6, box.y + box.titleHeight() + 2, widest, height);
    }
    notes(box);
    count(box);
    out.raw("</g>\n");
  }

  private void box(Box box) {
    openState(box);
    double cx = box.x + box.width / 2;
    double cy = box.y + box.height / 2;
    switch (box.shape) {
      case ATOM, GROUP, REGION, ANY, GHOST -> rect("body", box, 0, box.shape == Shape.ANY ? 18 : 7);
      case FINAL -> {
        rect("body", box, 0, 9);
        rect("inner", box, 3.5, 6);
      }
      case END -> {
        circle("body", cx, cy, box.width / 2);
        circle("solid", cx, cy, box.width / 2 - 5);
      }
      case START -> circle("solid", cx, cy, box.width / 2 - 1);
      case HISTORY -> circle("body", cx, cy, box.width / 2);
      case CHOICE -> {
        out.raw("<path class=\"body\" d=\"M" + at(cx, box.y) + "L" + at(box.x + box.width, cy));
        out.raw("L" + at(cx, box.y + box.height) + "L" + at(box.x, cy) + "z\"/>");
      }
      case BAR -> {
        out.raw("<rect class=\"solid\"").attribute("x", box.x).attribute("y", box.y);
        out.attribute("width", box.width).attribute("height", box.height).raw(" rx=\"2\"/>");
      }
      case CANVAS -> {}
    }
    if (!box.name.isEmpty()) {
      name(box, cx, box.notes.isEmpty() ? cy + 4.5 : box.y + 18, "middle");
    }
    if (!box.notes.isEmpty()) {
      out.raw("<path class=\"rule\" d=\"M" + at(box.x, box.y + box.titleHeight()));
      out.raw("h" + n(box.width) + "\"/>");
    }
    notes(box);
    count(box);
    out.raw("</g>\n");
  }

  private void openState(Box box) {
    StringBuilder classes = new StringBuilder();
    switch (box.shape) {
      case GHOST -> classes.append("missing");
      case START -> classes.append("start");
      case ANY -> classes.append("any");
      case CANVAS, ATOM, GROUP, REGION, FINAL, END, HISTORY, CHOICE, BAR ->
          classes.append(box.id.isEmpty() ? "point" : "state");
    }
    classes.append(
        box.shape == Shape.GROUP ? " group" : box.shape == Shape.REGION ? " region" : "");
    if (box.shape != Shape.GHOST && !box.id.isEmpty()) {
      classes.append(options.highlight().visited().contains(box.id) ? " visited" : "");
      classes.append(options.highlight().active().contains(box.id) ? " active" : "");
    }
    out.raw("<g").attribute("class", classes.toString());
    if (!box.id.isEmpty()) {
      boolean ghost = box.shape == Shape.GHOST;
      id((ghost ? "missing." : "state.") + Xml.name(box.id));
      out.attribute(ghost ? "data-missing" : "data-state", box.id);
    }
    out.attribute("data-kind", box.kind).raw(">").title(box.tooltip);
  }

  /** An unsound machine may have two states of one name; only the first is known by it. */
  private void id(String name) {
    if (names.add(name)) {
      out.attribute("id", prefix + name);
    }
  }

  private void name(Box box, double x, double y, String anchor) {
    out.raw("<text class=\"name\" text-anchor=\"" + anchor + "\"");
    out.attribute("x", x).attribute("y", y);
    out.raw(">").text(box.name).raw("</text>");
  }

  private void notes(Box box) {
    double y = box.y + box.titleHeight() + 14;
    for (Note note : box.notes) {
      Label label = note.label();
      double x = box.x + 10;
      if (label != null) {
        openTransition(label);
        if (label.timed()) {
          clock(x + 5, y - 4);
          x += Label.CLOCK;
        }
      } else {
        out.raw("<g>").title(note.tooltip());
      }
      String classes = label != null && label.timed() ? "note timer" : "note";
      out.raw("<text").attribute("class", classes).attribute("x", x).attribute("y", y).raw(">");
      out.text(note.text()).raw("</text>");
      if (label != null) {
        flow(label, box.x + box.width - PILL - 4, y);
      }
      out.raw("</g>");
      y += Box.NOTE_HEIGHT;
    }
  }

  private void edge(Wire wire) {
    String classes = "edge " + wire.kind + (wire.isTimed() ? " timed" : "");
    out.raw("<g").attribute("class", classes + (isTaken(wire) ? " visited" : ""));
    if (!wire.from.id.isEmpty() && !wire.to.id.isEmpty()) {
      id("edge." + Xml.name(wire.from.id) + "--" + Xml.name(wire.to.id));
    }
    out.attribute("data-from", wire.from.id).attribute("data-to", wire.to.id).raw(">");
    List<Point> points = Outline.trim(wire);
    out.raw("<path class=\"line\" d=\"" + Outline.path(points) + "\"/>");
    boolean toBranch = wire.to.shape == Shape.BAR && wire.to.id.isEmpty();
    if (!toBranch) {
      out.raw("<path class=\"head\" d=\"" + Outline.head(points) + "\"/>");
    }
    for (Point junction : wire.junctions) {
      circle("head", junction.x(), junction.y(), 2.6);
    }
    if (!wire.hasWords()) {
      for (Label label : wire.labels) {
        openTransition(label);
        out.raw("</g>");
      }
    }
    out.raw("</g>\n");
  }

  private void labels(Wire wire) {
    if (!wire.hasWords()) {
      return;
    }
    double width = wire.labelWidth(options.badges());
    double x = wire.labelAt.x();
    out.raw("<g class=\"label\">");
    plate("plate", x, wire.labelAt.y(), width, wire.labelHeight());
    double y = wire.labelAt.y() + 2;
    for (Label label : wire.labels) {
      label(label, x, y, width);
      y += label.height();
    }
    out.raw("</g>\n");
  }

  private void label(Label label, double x, double y, double width) {
    openTransition(label);
    double middle = x + width / 2;
    if (label.timed()) {
      double start = middle - label.width(false) / 2;
      clock(start + 5, y + 8);
      middle += Label.CLOCK / 2;
    }
    out.raw("<text text-anchor=\"middle\"").attribute("x", middle).attribute("y", y + 12).raw(">");
    if (!label.trigger().isEmpty()) {
      out.raw("<tspan class=\"" + (label.timed() ? "timer" : "trigger") + "\">");
      out.text(label.trigger()).raw("</tspan>");
    }
    if (!label.guard().isEmpty()) {
      out.raw(label.trigger().isEmpty() || label.isBroken() ? "" : " ");
      out.raw("<tspan class=\"guard\"");
      if (label.isBroken()) {
        out.attribute("x", middle).attribute("y", y + 12 + Label.LINE_HEIGHT);
      }
      out.raw(">").text(label.guard()).raw("</tspan>");
    }
    out.raw("</text>");
    if (!label.isEmpty()) {
      flow(label, x + width - PILL, y + 12);
    }
    out.raw("</g>");
  }

  private void openTransition(Label label) {
    boolean taken = options.highlight().taken().contains(label.edge());
    out.raw("<g").attribute("class", taken ? "transition visited" : "transition");
    out.attribute("data-from", label.edge().from());
    out.attribute("data-to", String.join(" ", label.edge().to()));
    out.attribute("data-trigger", label.edge().trigger()).raw(">").title(label.tooltip());
  }

  private void count(Box box) {
    if (options.badges() && !box.id.isEmpty() && box.shape != Shape.GHOST) {
      Long figure = options.highlight().counts().get(box.id);
      badge("count", figure, box.x + box.width - PILL + 6, box.y - 8);
    }
  }

  private void flow(Label label, double x, double baseline) {
    if (options.badges()) {
      badge("flow", options.highlight().flows().get(label.edge()), x, baseline - 11);
    }
  }

  private void badge(String kind, @Nullable Long figure, double x, double y) {
    out.raw("<g class=\"" + kind + (figure == null ? " empty" : "") + "\">");
    out.raw("<rect class=\"pill\" rx=\"7\" height=\"14\"").attribute("x", x);
    out.attribute("width", PILL);
    out.attribute("y", y).raw("/><text class=\"figure\" text-anchor=\"middle\"");
    out.attribute("x", x + PILL / 2).attribute("y", y + 10.6).raw(">");
    out.raw(figure == null ? "" : Figures.text(figure)).raw("</text></g>");
  }

  private void clock(double x, double y) {
    out.raw("<path class=\"clock\" d=\"M" + at(x - 4.5, y) + "a4.5 4.5 0 1 1 9 0");
    out.raw("a4.5 4.5 0 1 1 -9 0M" + at(x, y - 2.6) + "v2.6l1.9 1.2\"/>");
  }

  private void rect(String kind, Box box, double inset, double radius) {
    out.raw("<rect class=\"" + kind + "\"").attribute("x", box.x + inset);
    out.attribute("y", box.y + inset).attribute("width", box.width - 2 * inset);
    out.attribute("height", box.height - 2 * inset).attribute("rx", radius).raw("/>");
  }

  private void plate(String kind, double x, double y, double width, double height) {
    out.raw("<rect class=\"" + kind + "\"").attribute("x", x).attribute("y", y);
    out.attribute("width", width).attribute("height", height).raw(" rx=\"3\"/>");
  }

  private void circle(String kind, double x, double y, double radius) {
    out.raw("<circle class=\"" + kind + "\"").attribute("cx", x).attribute("cy", y);
    out.attribute("r", radius).raw("/>");
  }

  /** Where wires share a trunk, a solid line covers a dashed one, and a taken one covers both. */
  private int depth(Wire wire) {
    return isTaken(wire) ? 2 : wire.isTimed() ? 0 : 1;
  }

  private boolean isTaken(Wire wire) {
    return wire.labels.stream()
        .anyMatch(label -> options.highlight().taken().contains(label.edge()));
  }

  private static String at(double x, double y) {
    return Xml.number(x) + " " + Xml.number(y);
  }

  private static String n(double value) {
    return Xml.number(value);
  }
}
