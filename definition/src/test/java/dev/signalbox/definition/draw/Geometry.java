package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.draw.Picture.Area;
import dev.signalbox.definition.draw.Wire.Point;
import java.util.List;

/** What must be true of the places in any picture with words on its lines. */
final class Geometry {
  private Geometry() {}

  static void check(Picture picture) {
    List<Area> labels = picture.labels();
    List<Area> atoms = picture.atoms();
    for (int i = 0; i < labels.size(); i++) {
      Area label = labels.get(i);
      for (Area other : labels.subList(i + 1, labels.size())) {
        assertThat(label.overlaps(other)).as("%s and %s overlap", label, other).isFalse();
      }
      for (Area atom : atoms) {
        assertThat(label.overlaps(atom)).as("%s and %s overlap", label, atom).isFalse();
      }
      for (Area container : picture.containers()) {
        assertThat(container.contains(label) || !container.overlaps(label))
            .as("%s is cut by the frame of %s", label, container)
            .isTrue();
      }
      assertThat(picture.canvas().contains(label)).as("%s is on the canvas", label).isTrue();
    }
    for (int i = 0; i < atoms.size(); i++) {
      for (Area other : atoms.subList(i + 1, atoms.size())) {
        assertThat(atoms.get(i).overlaps(other))
            .as("%s and %s overlap", atoms.get(i), other)
            .isFalse();
      }
      assertThat(picture.canvas().contains(atoms.get(i))).as("%s", atoms.get(i)).isTrue();
    }
  }

  /** Lines run over no box, and over no words but their own. */
  static void checkLines(Sketch sketch) {
    for (Wire wire : sketch.wires()) {
      List<Point> points = wire.points;
      for (int i = 1; i < points.size(); i++) {
        Area line = line(wire, points.get(i - 1), points.get(i));
        for (Box box : sketch.boxes()) {
          Area area = new Area(box.id, box.x, box.y, box.width, box.height);
          assertThat(!box.isContainer() && line.overlaps(area))
              .as("%s on %s", line, area)
              .isFalse();
        }
        for (Wire other : sketch.wires()) {
          if (other != wire && other.hasWords()) {
            Area words =
                new Area(
                    other.from.id,
                    other.labelAt.x(),
                    other.labelAt.y(),
                    other.labelSize.x(),
                    other.labelSize.y());
            assertThat(line.overlaps(words)).as("%s on words of %s", line, words).isFalse();
          }
        }
      }
    }
  }

  private static Area line(Wire wire, Point a, Point b) {
    return new Area(
        wire.from.id + " -> " + wire.to.id,
        Math.min(a.x(), b.x()),
        Math.min(a.y(), b.y()),
        Math.abs(a.x() - b.x()),
        Math.abs(a.y() - b.y()));
  }
}
