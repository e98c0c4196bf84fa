package dev.signalbox.definition.draw;

import dev.signalbox.definition.draw.Box.Note;
import dev.signalbox.definition.draw.Box.Shape;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds the boxes and wires of a machine. The machine need not be sound: a target that does not
 * exist becomes a ghost, and of two states with one id the first is the target.
 */
final class Sketcher {
  /** How an import ends the name of an end that has none. */
  private static final String END = "$end";

  /** How an import names a region that has no name. */
  private static final Pattern UNNAMED_REGION =
      Pattern.compile(".*\\.region[0-9]+", Pattern.DOTALL);

  private static final int LONGEST_NAME = 44;
  private static final int LONGEST_NOTE = 42;
  private static final int MOST_DETAILS = 12;

  private final boolean details;
  private final Box canvas = new Box(Shape.CANVAS, null, "", "", "canvas", "");
  private final Map<String, Box> byId = new HashMap<>();

  /** The box of each state and its start, if it has one, in the order of the definition. */
  private final IdentityHashMap<State, Placed> placed = new IdentityHashMap<>();

  private final List<State> order = new ArrayList<>();
  private final Map<List<Object>, Wire> wires = new LinkedHashMap<>();

  private record Placed(Box box, List<Box> start) {}

  private Sketcher(boolean details) {
    this.details = details;
  }

  static Sketch sketch(Machine machine, boolean details) {
    return new Sketcher(details).sketch(machine.root());
  }

  private Sketch sketch(State root) {
    placeChildren(root, canvas, 1);
    connectRoot(root);
    for (State state : order) {
      connect(state);
    }
    return new Sketch(canvas, new ArrayList<>(wires.values()));
  }

  private void placeChildren(State state, Box box, int depth) {
    List<Box> start = new ArrayList<>();
    if (state.kind() == Kind.STATE && !state.children().isEmpty() && depth <= Limits.DEPTH) {
      start.add(new Box(Shape.START, box, "", "", "start", ""));
    }
    placed.put(state, new Placed(box, start));
    order.add(state);
    if (depth <= Limits.DEPTH) {
      for (State child : state.children()) {
        Box childBox = box(child, box, state.kind() == Kind.PARALLEL);
        byId.putIfAbsent(child.id(), childBox);
        placeChildren(child, childBox, depth + 1);
      }
    }
  }

  private Box box(State state, Box parent, boolean region) {
    String kind = state.kind().name().toLowerCase(Locale.ROOT).replace('_', '-');
    Box box =
        new Box(
            shape(state, region), parent, state.id(), name(state, region), kind, tooltip(state));
    if (details) {
      describe(state, box);
    }
    return box;
  }

  private static Shape shape(State state, boolean region) {
    boolean atomic = state.children().isEmpty();
    return switch (state.kind()) {
      case STATE, PARALLEL -> {
        if (!atomic) {
          yield region ? Shape.REGION : Shape.GROUP;
        }
        yield isUnnamedEnd(state) ? Shape.END : Shape.ATOM;
      }
      case FINAL -> isUnnamedEnd(state) ? Shape.END : Shape.FINAL;
      case SHALLOW_HISTORY, DEEP_HISTORY -> Shape.HISTORY;
      case CHOICE -> Shape.CHOICE;
      case FORK, JOIN -> Shape.BAR;
    };
  }

  private static boolean isUnnamedEnd(State state) {
    return state.id().endsWith(END);
  }

  private static String name(State state, boolean region) {
    return switch (state.kind()) {
      case STATE, PARALLEL, FINAL -> {
        boolean unnamed =
            isUnnamedEnd(state) || (region && UNNAMED_REGION.matcher(state.id()).matches());
        yield unnamed ? "" : Letters.clip(Xml.visible(state.id()), LONGEST_NAME);
      }
      case SHALLOW_HISTORY -> "H";
      case DEEP_HISTORY -> "H*";
      case CHOICE, FORK, JOIN -> "";
    };
  }

  private static String tooltip(State state) {
    StringBuilder text = new StringBuilder(state.id());
    if (state.note() != null) {
      text.append('\n').append(state.note());
    }
    if (state.waits() != null) {
      text.append("\nwaits: ").append(state.waits());
    }
    return Letters.clip(text.toString(), 2_000);
  }

  private static void describe(State state, Box box) {
    List<Note> notes = new ArrayList<>();
    for (List<Action> block : state.entry()) {
      notes.add(note("entry / " + Phrases.actions(block)));
    }
    for (List<Action> block : state.exit()) {
      notes.add(note("exit / " + Phrases.actions(block)));
    }
    for (Invoke invoke : state.invokes()) {
      notes.add(note("invoke " + Phrases.invoke(invoke)));
    }
    List<String> tools = state.tools();
    if (tools != null) {
      notes.add(note(tools.isEmpty() ? "no tools" : "tools " + String.join(", ", tools)));
    }
    if (notes.size() > MOST_DETAILS) {
      int more = notes.size() - MOST_DETAILS;
      notes.subList(MOST_DETAILS, notes.size()).clear();
      notes.add(note("and " + more + " more"));
    }
    box.notes.addAll(notes);
  }

  private static Note note(String text) {
    String clean = Xml.visible(text);
    return new Note(Letters.clip(clean, LONGEST_NOTE), Letters.clip(text, 1_000), null);
  }

  private void connectRoot(State root) {
    if (root.transitions().isEmpty()) {
      return;
    }
    Box any = new Box(Shape.ANY, canvas, "", "any state", "any", "Whatever state is active.");
    for (Transition transition : root.transitions()) {
      connect(any, root.id(), transition);
    }
  }

  private void connect(State state) {
    Placed here = lookup(state);
    if (state.kind() == Kind.STATE) {
      for (Box start : here.start()) {
        enter(start, "initial", entered(state));
      }
    } else if (state.kind().isHistory()) {
      enter(here.box(), "default", entered(state));
    }
    if (here.box() != canvas) {
      for (Transition transition : state.transitions()) {
        connect(here.box(), state.id(), transition);
      }
    }
  }

  private Placed lookup(State state) {
    Placed here = placed.get(state);
    if (here == null) {
      throw new IllegalStateException("Expected '" + state.id() + "' to be placed.");
    }
    return here;
  }

  /** The states that the initial transition enters; without one it is the first child. */
  private static List<String> entered(State state) {
    Transition initial = state.initial();
    if (initial != null) {
      return initial.targets();
    }
    return state.kind().isHistory() || state.children().isEmpty()
        ? List.of()
        : List.of(state.children().getFirst().id());
  }

  private void enter(Box from, String kind, List<String> targets) {
    for (String target : targets) {
      wire(from, target(target), kind);
    }
  }

  private void connect(Box from, String id, Transition transition) {
    Edge edge = new Edge(id, transition.trigger().text(), transition.targets());
    String trigger = Phrases.trigger(transition);
    String guard = Phrases.guard(transition.guard());
    boolean timed = transition.trigger() instanceof Trigger.After;
    Label label = new Label(edge, trigger, guard, timed, Phrases.tooltip(id, transition));
    List<String> targets = transition.targets().stream().distinct().toList();
    if (targets.isEmpty()) {
      from.notes.add(internal(label, transition));
    } else if (targets.size() == 1) {
      wire(from, target(targets.getFirst()), "transition").labels.add(label);
    } else {
      Box parent = from.parent == null ? canvas : from.parent;
      Box bar = new Box(Shape.BAR, parent, "", "", "branch", "");
      wire(from, bar, "transition").labels.add(label);
      targets.forEach(target -> wire(bar, target(target), "branch"));
    }
  }

  private static Note internal(Label label, Transition transition) {
    StringBuilder text = new StringBuilder(label.trigger());
    if (!label.guard().isEmpty()) {
      text.append(text.isEmpty() ? "" : " ").append(label.guard());
    }
    if (!transition.actions().isEmpty()) {
      text.append(" / ").append(Phrases.actions(transition.actions()));
    }
    String clean = Letters.clip(Xml.visible(text.toString()), LONGEST_NOTE);
    return new Note(clean, label.tooltip(), label);
  }

  private Wire wire(Box from, Box to, String kind) {
    return wires.computeIfAbsent(List.of(from, to, kind), _ -> new Wire(from, to, kind));
  }

  private Box target(String id) {
    return byId.computeIfAbsent(
        id,
        missing ->
            new Box(
                Shape.GHOST,
                canvas,
                missing,
                Letters.clip(Xml.visible(missing), LONGEST_NAME),
                "missing",
                "There is no state '" + missing + "'."));
  }
}
