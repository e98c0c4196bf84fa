package dev.signalbox.definition.sketch;

import dev.signalbox.definition.Graph;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A machine as it is drawn: boxes in parts of boxes, arrows between boxes and dots. The way back
 * from {@link Sketch}: implicit states are dots and parts again.
 */
public final class Picture {
  private final Part root = new Part(null, true);
  private final Map<String, Part> parts = new HashMap<>();
  private final Map<String, Part> ends = new HashMap<>();
  private final Map<String, String> regions = new HashMap<>();
  private final List<Box> boxes = new ArrayList<>();

  private Picture() {}

  public static Picture of(Machine machine) {
    Picture picture = new Picture();
    State top = machine.root();
    picture.place(top.children(), picture.root);
    picture.start(top, picture.root);
    Transition initial = top.initial();
    if (initial == null && !picture.root.boxes.isEmpty()) {
      String first = picture.root.boxes.getFirst().state.id();
      picture.root.arrows.add(new Arrow(null, first, "", null));
    }
    for (Box box : picture.boxes) {
      picture.arrows(box);
    }
    return picture;
  }

  /** The part that contains all others. */
  public Part root() {
    return root;
  }

  /** All boxes, each before those inside it. */
  public List<Box> boxes() {
    return boxes;
  }

  /** The part the state is drawn in, or null when there is no such state. */
  public @Nullable Part partOf(String state) {
    return parts.get(state);
  }

  /** The inside of a box, or what lies between its dashed lines. */
  public static final class Part {
    private final @Nullable Box owner;
    private final boolean whole;
    private final List<Box> boxes = new ArrayList<>();
    private final List<Arrow> arrows = new ArrayList<>();

    private Part(@Nullable Box owner, boolean whole) {
      this.owner = owner;
      this.whole = whole;
    }

    /** The box around it; null for the whole drawing. */
    public @Nullable Box owner() {
      return owner;
    }

    /** Whether it is all of the inside. */
    public boolean isWhole() {
      return whole;
    }

    public List<Box> boxes() {
      return boxes;
    }

    /** The arrows drawn here: those between its boxes, and those of its dots. */
    public List<Arrow> arrows() {
      return arrows;
    }
  }

  /** A state with what is drawn inside it. */
  public record Box(State state, List<Part> parts) {}

  /**
   * An arrow.
   *
   * @param from a state's id; null for the start dot of the part it is drawn in
   * @param to a state's id; null for the end dot of the part it is drawn in
   * @param transition what it stands for; null for the way from a final state to the end dot and
   *     for a start that the machine leaves unsaid
   */
  public record Arrow(
      @Nullable String from, @Nullable String to, String label, @Nullable Transition transition) {}

  private void place(List<State> states, Part part) {
    for (State state : states) {
      if (Graph.isEnd(state)) {
        ends.put(state.id(), part);
      } else if (!Graph.isStart(state)) {
        box(state, part);
      }
    }
  }

  private void box(State state, Part part) {
    Box box = new Box(state, new ArrayList<>());
    part.boxes.add(box);
    boxes.add(box);
    parts.put(state.id(), part);
    if (state.kind() == State.Kind.PARALLEL) {
      for (State child : state.children()) {
        Part inside = new Part(box, state.children().size() == 1);
        box.parts.add(inside);
        if (Graph.isRegion(child, state)) {
          regions.put(child.id(), state.id());
          place(child.children(), inside);
          start(child, inside);
        } else {
          place(List.of(child), inside);
        }
      }
    } else if (!state.children().isEmpty()
        || (state.initial() != null && !state.kind().isHistory())) {
      Part inside = new Part(box, true);
      box.parts.add(inside);
      place(state.children(), inside);
      start(state, inside);
    }
  }

  private void start(State state, Part part) {
    Transition initial = state.initial();
    if (initial == null || state.kind().isHistory()) {
      return;
    }
    for (State child : state.children()) {
      if (Graph.isStart(child) && initial.targets().equals(List.of(child.id()))) {
        child.transitions().forEach(t -> draw(null, t, label(child, t), part));
        return;
      }
    }
    String label = initial.label() == null ? "" : initial.label();
    draw(null, initial, label, part);
  }

  private void arrows(Box box) {
    State state = box.state;
    Part part = parts.getOrDefault(state.id(), root);
    Transition initial = state.initial();
    if (state.kind().isHistory() && initial != null) {
      draw(state.id(), initial, initial.label() == null ? "" : initial.label(), part);
    }
    for (Transition transition : state.transitions()) {
      draw(state.id(), transition, label(state, transition), part);
    }
    if (state.kind() == State.Kind.FINAL) {
      part.arrows.add(new Arrow(state.id(), null, "", null));
    }
  }

  private void draw(@Nullable String from, Transition transition, String label, Part part) {
    if (transition.targets().isEmpty() && from != null) {
      part.arrows.add(new Arrow(from, from, label, transition));
    }
    for (String target : transition.targets()) {
      Part end = ends.get(target);
      if (end != null) {
        end.arrows.add(new Arrow(from, null, label, transition));
      } else {
        String to = regions.getOrDefault(target, target);
        Part drawn = from == null || parts.get(to) == part ? part : root;
        drawn.arrows.add(new Arrow(from, to, label, transition));
      }
    }
  }

  /** What stands on the arrow of a transition. */
  static String label(State source, Transition transition) {
    if (transition.label() != null) {
      return transition.label();
    }
    Trigger trigger = transition.trigger();
    Guard guard = transition.guard();
    if (guard == null && isCompletion(source, trigger)) {
      return "";
    }
    String text =
        trigger instanceof Trigger.On on ? String.join(" / ", on.descriptors()) : trigger.text();
    if (guard == null) {
      return text;
    }
    String condition = guard.name() == null ? guard.condition().text() : guard.name();
    return (text + " [" + condition + "]").strip();
  }

  private static boolean isCompletion(State source, Trigger trigger) {
    return trigger instanceof Trigger.On on
        && on.descriptors().equals(List.of("done.state." + source.id()))
        && endsInside(source);
  }

  private static boolean endsInside(State source) {
    return source.children().stream()
        .anyMatch(child ->
            child.kind() == State.Kind.FINAL
                || (Graph.isRegion(child, source) && endsInside(child)));
  }
}
