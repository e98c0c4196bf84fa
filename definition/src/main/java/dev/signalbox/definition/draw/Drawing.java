package dev.signalbox.definition.draw;

import dev.signalbox.kernel.machine.Machine;

/** The picture of a machine as an SVG document. */
public final class Drawing {
  private Drawing() {}

  /**
   * The picture, for any machine, sound or not. The same machine and options give the same bytes.
   *
   * <p>A page finds its way by attributes: {@code g.state[data-state]} for a state, {@code
   * g.transition[data-from][data-to][data-trigger]} for a transition, {@code g.edge} for a line. It
   * can set the classes {@code active} and {@code visited}, and fill in {@code .count} of a state
   * and {@code .flow} of a transition, without a new layout.
   */
  public static String svg(Machine machine, Options options) {
    Sketch sketch = Sketcher.sketch(machine, options.details());
    if (!options.words()) {
      sketch.silence();
    }
    Layout.place(sketch, options);
    return new SvgWriter(machine, sketch, options).write();
  }
}
