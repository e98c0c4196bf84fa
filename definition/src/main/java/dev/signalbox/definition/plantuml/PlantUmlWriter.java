package dev.signalbox.definition.plantuml;

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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes a machine as a PlantUML state diagram.
 *
 * <p>PlantUML makes a state where it first meets its name, so every part declares its states before
 * it draws arrows, and an arrow is drawn in the innermost part that holds both its ends. No arrow
 * may lead out of a region or into one, nor, where it is drawn in a region, into a box there.
 */
public final class PlantUmlWriter {
  private static final Pattern NAME = Pattern.compile("[\\p{L}_][\\p{L}\\p{Nd}_]*");
  private static final Set<String> RESERVED =
      Set.of("state", "note", "end", "hide", "scale", "title", "as", "left", "right", "skinparam");

  private final Picture picture;
  private final Aliases names;
  private final Unsaid unsaid;
  private final Map<Part, List<Arrow>> arrows = new HashMap<>();
  private final StringBuilder out = new StringBuilder();

  private PlantUmlWriter(Picture picture, Unsaid unsaid) {
    this.picture = picture;
    this.unsaid = unsaid;
    List<String> ids = new ArrayList<>();
    picture.boxes().forEach(box -> ids.add(box.state().id()));
    this.names = new Aliases(ids, PlantUmlWriter::isName);
    picture.root().arrows().forEach(arrow -> place(arrow, picture.root()));
    for (Box box : picture.boxes()) {
      box.parts().forEach(part -> part.arrows().forEach(arrow -> place(arrow, part)));
    }
  }

  /** The diagram; each thing that it cannot say is a warning. */
  public static String write(Machine machine, Problems problems) {
    Unsaid unsaid = new Unsaid("PlantUML", problems);
    unsaid.report(machine);
    return new PlantUmlWriter(Picture.of(machine), unsaid).diagram(machine);
  }

  private static boolean isName(String id) {
    return NAME.matcher(id).matches() && !RESERVED.contains(id.toLowerCase(Locale.ROOT));
  }

  private String diagram(Machine machine) {
    line(0, "@startuml");
    line(0, "hide empty description");
    String description = machine.description();
    if (description != null && !description.isBlank()) {
      line(0, "title");
      description.lines().forEach(l -> line(1, coded(l)));
      line(0, "end title");
    }
    declare(picture.root(), 0);
    arrows(picture.root(), 0);
    List<String> asides = Prose.of(machine.root().note()).notes();
    for (int i = 0; i < asides.size(); i++) {
      line(0, "note as aside%d".formatted(i + 1));
      asides.get(i).lines().forEach(l -> line(1, coded(l)));
      line(0, "end note");
    }
    line(0, "@enduml");
    return out.toString();
  }

  private void declare(Part part, int depth) {
    part.boxes().forEach(box -> box(box, depth));
  }

  private void box(Box box, int depth) {
    State state = box.state();
    String name = names.of(state.id());
    Prose prose = Prose.of(state.note());
    List<String> shown = new ArrayList<>(prose.descriptions());
    if (names.isAliased(state.id())) {
      shown.addFirst(state.id());
    }
    String head =
        shown.isEmpty()
            ? "state " + name
            : "state \"%s\" as %s".formatted(coded(shown.removeFirst()).replace("\"", "''"), name);
    line(depth, head + stereotype(state.kind()) + (box.parts().isEmpty() ? "" : " {"));
    for (int i = 0; i < box.parts().size(); i++) {
      if (i > 0) {
        line(depth + 1, "--");
      }
      declare(box.parts().get(i), depth + 1);
      arrows(box.parts().get(i), depth + 1);
    }
    if (!box.parts().isEmpty()) {
      line(depth, "}");
    }
    shown.forEach(text -> line(depth, name + " : " + coded(text)));
    for (String text : prose.notes()) {
      line(depth, "note right of " + name);
      text.lines().forEach(l -> line(depth + 1, coded(l)));
      line(depth, "end note");
    }
  }

  private static String stereotype(State.Kind kind) {
    return switch (kind) {
      case CHOICE -> " <<choice>>";
      case FORK -> " <<fork>>";
      case JOIN -> " <<join>>";
      case SHALLOW_HISTORY -> " <<history>>";
      case DEEP_HISTORY -> " <<history*>>";
      case STATE, PARALLEL, FINAL -> "";
    };
  }

  private void place(Arrow arrow, Part drawn) {
    String from = arrow.from();
    String to = arrow.to();
    Part part = from == null || to == null ? drawn : common(from, to);
    if (isHidden(from, part) || isHidden(to, part)) {
      unsaid.say(
          "the arrow from %s to %s".formatted(end(from), end(to)),
          List.of("a way out of a region or into one"));
    } else {
      arrows.computeIfAbsent(part, _ -> new ArrayList<>()).add(arrow);
    }
  }

  /** The innermost part that holds both states, or one of them inside the other. */
  private Part common(String from, String to) {
    Set<Part> around = new HashSet<>();
    for (Part part = picture.partOf(from); part != null; part = outer(part)) {
      around.add(part);
      if (isOwner(to, part)) {
        return part;
      }
    }
    Part found = null;
    for (Part part = picture.partOf(to); part != null; part = outer(part)) {
      if (isOwner(from, part)) {
        return part;
      }
      found = found == null && around.contains(part) ? part : found;
    }
    return found == null ? picture.root() : found;
  }

  private static boolean isOwner(String id, Part part) {
    Box owner = part.owner();
    return owner != null && owner.state().id().equals(id);
  }

  /** Whether the state lies outside the part, or behind the border of a region. */
  private boolean isHidden(@Nullable String id, Part part) {
    if (id == null || (part.isWhole() && isOwner(id, part))) {
      return false;
    }
    for (Part at = picture.partOf(id); at != part; at = outer(at)) {
      if (at == null || !at.isWhole() || !part.isWhole()) {
        return true;
      }
    }
    return false;
  }

  private @Nullable Part outer(Part part) {
    Box owner = part.owner();
    return owner == null ? null : picture.partOf(owner.state().id());
  }

  private void arrows(Part part, int depth) {
    for (Arrow arrow : arrows.getOrDefault(part, List.of())) {
      String label = coded(arrow.label().strip());
      String ends = end(arrow.from()) + " --> " + end(arrow.to());
      line(depth, label.isEmpty() ? ends : ends + " : " + label);
    }
  }

  private String end(@Nullable String id) {
    return id == null ? "[*]" : names.of(id);
  }

  /** The text on one line, without what PlantUML would take for a line of its own. */
  private static String coded(String text) {
    boolean blank = text.codePoints().allMatch(PlantUmlWriter::isInvisible);
    return (blank ? "" : text)
        .replace("\\", "<U+005C>")
        .replaceAll("[\\p{Cc}&&[^\n\t]]", " ")
        .replace("\n", "\\n")
        .replace("@enduml", "<U+0040>enduml")
        .replaceAll("(?i)^(\\s*end) ?(note|title)\\b", "$1<U+0020>$2");
  }

  private static boolean isInvisible(int c) {
    return Character.isWhitespace(c)
        || Character.isISOControl(c)
        || Character.isSpaceChar(c)
        || Character.getType(c) == Character.FORMAT;
  }

  private void line(int depth, String text) {
    out.append("  ".repeat(depth)).append(text).append('\n');
  }
}
