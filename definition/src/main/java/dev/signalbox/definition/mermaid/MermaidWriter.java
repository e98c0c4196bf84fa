package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Problems;
import dev.signalbox.definition.sketch.Aliases;
import dev.signalbox.definition.sketch.Picture;
import dev.signalbox.definition.sketch.Picture.Arrow;
import dev.signalbox.definition.sketch.Picture.Box;
import dev.signalbox.definition.sketch.Picture.Part;
import dev.signalbox.definition.sketch.Prose;
import dev.signalbox.definition.sketch.Unsaid;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a machine as a Mermaid state diagram that reads back as the same graph.
 *
 * <p>In Mermaid the last mention inside a box decides where a state belongs, and a mention at the
 * top moves nothing. So an arrow between states of one part is drawn in that part and any other at
 * the top; and an arrow between a dot and a state that lies elsewhere is drawn before the state's
 * own box, which then takes the state back.
 */
public final class MermaidWriter {
  private final Picture picture;
  private final Aliases names;
  private final Unsaid unsaid;
  private final Set<String> drawn = new HashSet<>();
  private final StringBuilder out = new StringBuilder();

  private MermaidWriter(Picture picture, Unsaid unsaid) {
    this.picture = picture;
    this.unsaid = unsaid;
    List<String> ids = new ArrayList<>();
    picture.boxes().forEach(box -> ids.add(box.state().id()));
    this.names = new Aliases(ids, Names::isName);
  }

  /** The diagram; each thing that it cannot say is a warning. */
  public static String write(Machine machine, Problems problems) {
    Unsaid unsaid = new Unsaid("Mermaid", problems);
    unsaid.report(machine);
    return new MermaidWriter(Picture.of(machine), unsaid).diagram(machine);
  }

  private String diagram(Machine machine) {
    out.append("stateDiagram-v2\n");
    for (Box box : picture.boxes()) {
      String id = box.state().id();
      if (names.isAliased(id)) {
        line(1, CleanText.ID_COMMENT + names.of(id) + " = " + Entities.encode(id));
      }
    }
    String description = machine.description();
    if (description != null && !description.isBlank()) {
      line(1, "accDescr {");
      description.lines().forEach(l -> line(2, Entities.encodeLines(l).replace("}", "#125;")));
      line(1, "}");
    }
    strays();
    part(picture.root(), 1);
    for (String note : Prose.of(machine.root().note()).notes()) {
      String text = Entities.encodeLines(note).replace("\"", "#quot;");
      boolean trap = text.regionMatches(true, 0, "as", 0, 2);
      line(1, "note \"" + (trap ? "#97;" + text.substring(1) : text) + "\" as aside");
    }
    return out.toString();
  }

  /** Draws arrows between a box's dots and states that lie elsewhere, before all else. */
  private void strays() {
    for (Box box : picture.boxes()) {
      for (Part part : box.parts()) {
        List<Arrow> strays =
            part.arrows().stream().filter(a -> part.isWhole() && isStray(a, part)).toList();
        List<Arrow> drawable =
            strays.stream().filter(a -> !isAtTop(a.from()) && !isAtTop(a.to())).toList();
        strays.stream().filter(a -> !drawable.contains(a)).forEach(this::lost);
        if (!drawable.isEmpty()) {
          line(1, "state " + names.of(box.state().id()) + " {");
          drawable.forEach(arrow -> arrow(arrow, 2));
          line(1, "}");
        }
      }
    }
  }

  /** Draws them inside a region, which cannot be opened twice. */
  private void strays(Part region, int depth) {
    for (Arrow arrow : region.arrows()) {
      if (isStray(arrow, region)) {
        boolean stays =
            isDrawn(arrow.from())
                || isDrawn(arrow.to())
                || isAtTop(arrow.from())
                || isAtTop(arrow.to());
        if (stays) {
          lost(arrow);
        } else {
          arrow(arrow, depth);
        }
      }
    }
  }

  /** Reports an arrow that would move its state for good. */
  private void lost(Arrow arrow) {
    unsaid.say(
        "the arrow from %s to %s".formatted(end(arrow.from()), end(arrow.to())),
        List.of("a dot inside a state and a state outside it"));
  }

  private boolean isAtTop(@Nullable String id) {
    return id != null && picture.partOf(id) == picture.root();
  }

  private boolean isDrawn(@Nullable String id) {
    return id != null && drawn.contains(id);
  }

  private boolean isStray(Arrow arrow, Part part) {
    return isElsewhere(arrow.from(), part) || isElsewhere(arrow.to(), part);
  }

  /** Whether a mention in the part would move the state: those around the part stay. */
  private boolean isElsewhere(@Nullable String id, Part part) {
    if (id == null || picture.partOf(id) == part) {
      return false;
    }
    Box around = part.owner();
    while (around != null && !around.state().id().equals(id)) {
      Part outer = picture.partOf(around.state().id());
      around = outer == null ? null : outer.owner();
    }
    return around == null;
  }

  private void part(Part part, int depth) {
    boolean top = part == picture.root();
    if (!part.isWhole()) {
      strays(part, depth);
    }
    List<Arrow> local = part.arrows().stream().filter(a -> top || !isStray(a, part)).toList();
    List<Arrow> starts = local.stream().filter(a -> a.from() == null).toList();
    List<Arrow> others = local.stream().filter(a -> a.from() != null).toList();
    // States come in the order of their first mention; where the arrows would give another order
    // than the machine has, every state is declared first.
    boolean natural = naturalOrder(part, starts, others).equals(ids(part));
    if (natural) {
      starts.forEach(arrow -> arrow(arrow, depth));
    }
    for (Box box : part.boxes()) {
      drawn.add(box.state().id());
      if (!natural || isDeclared(box)) {
        box(box, depth);
      }
    }
    if (!natural) {
      starts.forEach(arrow -> arrow(arrow, depth));
    }
    others.forEach(arrow -> arrow(arrow, depth));
    part.boxes().forEach(box -> notes(box, depth));
  }

  private static List<String> ids(Part part) {
    return part.boxes().stream().map(box -> box.state().id()).toList();
  }

  private List<String> naturalOrder(Part part, List<Arrow> starts, List<Arrow> others) {
    Set<String> mentioned = new LinkedHashSet<>();
    starts.forEach(arrow -> mention(arrow.to(), part, mentioned));
    part.boxes().stream().filter(this::isDeclared).forEach(b -> mentioned.add(b.state().id()));
    for (Arrow arrow : others) {
      mention(arrow.from(), part, mentioned);
      mention(arrow.to(), part, mentioned);
    }
    return List.copyOf(mentioned);
  }

  private void mention(@Nullable String id, Part part, Set<String> mentioned) {
    if (id != null && picture.partOf(id) == part) {
      mentioned.add(id);
    }
  }

  /** Whether the box has more to say than its name. */
  private boolean isDeclared(Box box) {
    return box.state().kind().isPoint()
        || box.state().kind().isHistory()
        || !box.parts().isEmpty()
        || !shown(box).isEmpty();
  }

  /** The texts in the box: its id, where it must go by another name, and its descriptions. */
  private List<String> shown(Box box) {
    List<String> shown = new ArrayList<>(Prose.of(box.state().note()).descriptions());
    if (names.isAliased(box.state().id())) {
      shown.addFirst(box.state().id());
    }
    return shown;
  }

  private void box(Box box, int depth) {
    State state = box.state();
    String name = names.of(state.id());
    List<String> shown = shown(box);
    if (state.kind().isPoint()) {
      line(depth, "state " + name + " <<" + point(state.kind()) + ">>");
    } else if (state.kind().isHistory()) {
      String mark = state.kind() == State.Kind.DEEP_HISTORY ? "[H*]" : "[H]";
      line(depth, mark.equals(name) ? name : "state \"" + mark + "\" as " + name);
    } else if (!box.parts().isEmpty()) {
      String head = shown.isEmpty() ? name : Entities.quote(shown.getFirst()) + " as " + name;
      line(depth, "state " + head + " {");
      inside(box, depth + 1);
      line(depth, "}");
    } else if (shown.isEmpty()) {
      line(depth, name);
    } else {
      line(depth, "state " + Entities.quote(shown.getFirst()) + " as " + name);
      shown.stream().skip(1).forEach(t -> line(depth, name + " : " + Entities.encode(t)));
    }
  }

  /** Draws the notes, and as notes what a box of its kind has no room for. */
  private void notes(Box box, int depth) {
    List<String> notes = new ArrayList<>();
    State state = box.state();
    if (state.kind().isPoint() || state.kind().isHistory()) {
      notes.addAll(shown(box));
    } else if (!box.parts().isEmpty()) {
      // Mermaid refuses a box with more than one text in it.
      shown(box).stream().skip(1).forEach(notes::add);
    }
    notes.addAll(Prose.of(state.note()).notes());
    notes.forEach(text -> note(names.of(state.id()), text, depth));
  }

  private void inside(Box box, int depth) {
    for (int i = 0; i < box.parts().size(); i++) {
      if (i > 0) {
        line(depth, "--");
      }
      part(box.parts().get(i), depth);
    }
  }

  private static String point(State.Kind kind) {
    return switch (kind) {
      case FORK -> "fork";
      case JOIN -> "join";
      case CHOICE, STATE, PARALLEL, FINAL, SHALLOW_HISTORY, DEEP_HISTORY -> "choice";
    };
  }

  private void note(String name, String text, int depth) {
    line(depth, "note right of " + name);
    String coded = Entities.encodeLines(text);
    coded.lines().forEach(l -> line(depth + 1, l));
    line(depth, "end note");
  }

  private void arrow(Arrow arrow, int depth) {
    String label = Entities.encode(arrow.label().strip());
    String ends = end(arrow.from()) + " --> " + end(arrow.to());
    line(depth, label.isEmpty() ? ends : ends + " : " + label);
  }

  private String end(@Nullable String id) {
    return id == null ? "[*]" : names.of(id);
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
