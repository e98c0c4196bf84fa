package dev.signalbox.definition.draw;

import java.util.List;
import org.eclipse.elk.alg.layered.options.NodePlacementStrategy;

/** Chooses the layout of a sketch by its size, and of two good ones the better. */
final class Layout {
  /** Above this, a layered layout would take too long; see {@link Effort}. */
  private static final long MOST = 20_000;

  /** Above this, layers give a picture that is all height or all width. */
  private static final int MOST_BOXES = 1_000;

  private static final long LARGE = 3_000;
  private static final long MEDIUM = 800;

  private Layout() {}

  static void place(Sketch sketch, Options options) {
    long effort = Effort.of(sketch);
    boolean fits = effort <= MOST && sketch.boxes().size() <= MOST_BOXES;
    if (!fits || !placeInLayers(sketch, options, effort)) {
      ShelfLayout.place(sketch, options);
    }
  }

  private static boolean placeInLayers(Sketch sketch, Options options, long effort) {
    Sinks.mark(sketch);
    int thoroughness = effort > LARGE ? 2 : effort > MEDIUM ? 7 : 20;
    List<NodePlacementStrategy> strategies =
        effort > MEDIUM
            ? List.of(NodePlacementStrategy.BRANDES_KOEPF)
            : List.of(NodePlacementStrategy.BRANDES_KOEPF, NodePlacementStrategy.NETWORK_SIMPLEX);
    LayeredLayout best = null;
    double least = Double.MAX_VALUE;
    for (NodePlacementStrategy strategy : strategies) {
      LayeredLayout layout = new LayeredLayout(sketch, options, strategy, thoroughness);
      try {
        layout.compute();
      } catch (RuntimeException e) {
        // A machine may have any shape, and the library gives up on a few; the other way of
        // placing, or the simple layout, still draws them.
        continue;
      }
      layout.apply();
      double clutter = Clutter.of(sketch);
      if (clutter < least) {
        least = clutter;
        best = layout;
      }
    }
    if (best != null) {
      best.apply();
    }
    return best != null;
  }
}
