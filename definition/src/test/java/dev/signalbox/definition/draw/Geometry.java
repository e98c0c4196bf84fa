package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.draw.Picture.Area;
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
}
