package dev.signalbox.definition.dot;

import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Picture;
import dev.signalbox.definition.sketch.Picture.Arrow;
import dev.signalbox.definition.sketch.Picture.Box;
import dev.signalbox.definition.sketch.Picture.Part;
import dev.signalbox.definition.sketch.Prose;
import dev.signalbox.definition.sketch.Unsaid;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes a machine as a DOT digraph that reads back as the same graph. */
public final class DotWriter {
  private final Picture picture;
  private final Map<String, Box> boxes = new HashMap<>();
  private final IdentityHashMap<Part, String> dots = new IdentityHashMap<>();
  private final StringBuilder out = new StringBuilder();

  private DotWriter(Picture picture) {
    this.picture = picture;
    picture.boxes().forEach(box -> boxes.put(box.state().id(), box));
  }

  /** The digraph; each thing that it cannot say is a warning. */
  public static String write(Machine machine, Problems problems) {
    new Unsaid("DOT", problems).report(machine);
    return new DotWriter(Picture.of(machine)).digraph(machine);
  }

  private String digraph(Machine machine) {
    line(0, "digraph " + DotText.id(machine.name()) + " {");
    line(1, "compound=true");
    line(1, "node [shape=box, style=rounded]");
    if (machine.description() != null) {
      line(1, "label=" + DotText.label(machine.description()));
    }
    if (machine.root().note() != null) {
      line(1, "comment=" + DotText.label(machine.root().note()));
    }
    part(picture.root(), 1);
    edges(picture.root());
    picture.boxes().forEach(box -> box.parts().forEach(this::edges));
    line(0, "}");
    return out.toString();
  }

  private void part(Part part, int depth) {
    String dot = "__%s" + (dots.isEmpty() ? "" : "_" + dots.size());
    dots.put(part, dot);
    if (part.arrows().stream().anyMatch(a -> a.from() == null)) {
      line(depth, DotText.id(dot.formatted("start")) + " [shape=point, label=\"\"]");
    }
    if (part.arrows().stream().anyMatch(DotWriter::isEnd)) {
      line(depth, DotText.id(dot.formatted("end")) + " [shape=doublecircle, label=\"\"]");
    }
    part.boxes().forEach(box -> box(box, depth));
  }

  /** Whether the arrow needs an end dot; a final state is one itself. */
  private static boolean isEnd(Arrow arrow) {
    return arrow.to() == null && arrow.transition() != null;
  }

  private void box(Box box, int depth) {
    if (box.parts().isEmpty()) {
      line(depth, DotText.id(box.state().id()) + node(box.state()));
      return;
    }
    line(depth, "subgraph " + DotText.id("cluster_" + box.state().id()) + " {");
    line(depth + 1, "label=" + DotText.label(shown(box.state())));
    String note = notes(box.state());
    if (note != null) {
      line(depth + 1, "comment=" + DotText.label(note));
    }
    for (int i = 0; i < box.parts().size(); i++) {
      Part part = box.parts().get(i);
      if (box.parts().size() == 1) {
        part(part, depth + 1);
      } else {
        line(depth + 1, "subgraph " + DotText.id("cluster_" + box.state().id() + "." + i) + " {");
        line(depth + 2, "class=region");
        line(depth + 2, "label=\"\"");
        line(depth + 2, "style=dashed");
        part(part, depth + 2);
        line(depth + 1, "}");
      }
    }
    line(depth, "}");
  }

  private static String node(State state) {
    List<String> attributes = new ArrayList<>();
    String label = shown(state);
    switch (state.kind()) {
      case FINAL -> attributes.add("peripheries=2");
      case CHOICE -> attributes.add("shape=diamond, class=choice");
      case FORK -> attributes.add("shape=box, height=0.1, style=filled, class=fork");
      case JOIN -> attributes.add("shape=box, height=0.1, style=filled, class=join");
      case SHALLOW_HISTORY -> attributes.add("shape=circle, class=history");
      case DEEP_HISTORY -> attributes.add("shape=circle, class=deep_history");
      case STATE, PARALLEL -> {}
    }
    if (state.kind().isHistory()) {
      attributes.add(state.kind() == State.Kind.DEEP_HISTORY ? "label=\"H*\"" : "label=H");
    } else if (!label.equals(state.id())) {
      attributes.add("label=" + DotText.label(label));
    }
    String note = notes(state);
    if (note != null) {
      attributes.add("comment=" + DotText.label(note));
    }
    return attributes.isEmpty() ? "" : " [" + String.join(", ", attributes) + "]";
  }

  private static String shown(State state) {
    List<String> shown = Prose.of(state.note()).descriptions();
    return shown.isEmpty() ? state.id() : String.join("\n", shown);
  }

  private static @Nullable String notes(State state) {
    return new Prose(List.of(), Prose.of(state.note()).notes()).note();
  }

  private void edges(Part part) {
    String dot = Objects.requireNonNull(dots.get(part));
    for (Arrow arrow : part.arrows()) {
      if (arrow.to() != null || isEnd(arrow)) {
        edge(arrow, dot);
      }
    }
  }

  private void edge(Arrow arrow, String dot) {
    List<String> attributes = new ArrayList<>();
    String from = end(arrow.from(), dot.formatted("start"), "ltail", attributes);
    String to = end(arrow.to(), dot.formatted("end"), "lhead", attributes);
    if (!arrow.label().isBlank()) {
      attributes.add("label=" + DotText.label(arrow.label().strip()));
    }
    String tail = attributes.isEmpty() ? "" : " [" + String.join(", ", attributes) + "]";
    line(1, DotText.id(from) + " -> " + DotText.id(to) + tail);
  }

  /** The node of an end; a box with something inside is reached through one of its nodes. */
  private String end(@Nullable String id, String dot, String clip, List<String> attributes) {
    if (id == null) {
      return dot;
    }
    Box box = boxes.get(id);
    if (box == null || box.parts().isEmpty()) {
      return id;
    }
    attributes.add(clip + "=" + DotText.id("cluster_" + id));
    return leaf(box);
  }

  private String leaf(Box box) {
    for (Part part : box.parts()) {
      if (!part.boxes().isEmpty()) {
        Box first = part.boxes().getFirst();
        return first.parts().isEmpty() ? first.state().id() : leaf(first);
      }
    }
    String dot = dots.get(box.parts().getFirst());
    return Objects.requireNonNull(dot).formatted("start");
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
