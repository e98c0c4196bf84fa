package dev.signalbox.definition.scxml;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.Problems;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes a machine as SCXML that {@link ScxmlReader} reads back as the same machine. */
public final class ScxmlWriter {
  private ScxmlWriter() {}

  /**
   * The machine as SCXML.
   *
   * @param problems receives a warning when other engines will miss a part of the meaning
   */
  public static String write(Machine machine, Problems problems) {
    XmlTag root = tag(machine);
    if (root.hasEscapes()) {
      problems.warning(
          "xml-character",
          Place.START,
          "Expected characters that XML has, but a text of '%s' holds others."
              .formatted(machine.name()),
          "Signalbox reads them back; other engines see JSON in their place.");
    }
    List<String> extensions = Extensions.of(machine);
    if (!extensions.isEmpty()) {
      problems.warning(
          "beyond-scxml",
          Place.START,
          "Expected only what SCXML can say, but '%s' has %s."
              .formatted(machine.name(), String.join(", ", extensions)),
          "Signalbox reads them back; other engines ignore them.");
    }
    StringBuilder out = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    XmlTag document = new XmlTag("scxml").with("xmlns", Namespaces.SCXML);
    if (root.usesOurs()) {
      document.with("xmlns:sb", Namespaces.SIGNALBOX);
    }
    fill(document, machine).print(out, 0);
    return out.toString();
  }

  static XmlTag tag(Machine machine) {
    return fill(new XmlTag("scxml"), machine);
  }

  private static XmlTag fill(XmlTag tag, Machine machine) {
    State root = machine.root();
    tag.with("version", "1.0")
        .with("datamodel", "cel")
        .with("name", machine.name())
        .with("binding", bindsLate(root) ? "late" : null);
    Transition initial = root.initial();
    if (initial != null && StateWriter.isPlain(initial)) {
      tag.words("initial", initial.targets());
    }
    tag.with("sb:version", machine.version() == 1 ? null : Integer.toString(machine.version()))
        .with("sb:mode", machine.mode() == Machine.Mode.STRICT ? "strict" : null)
        .with("sb:description", machine.description());
    machine.events().forEach(event -> tag.add(event(event)));
    if (!machine.context().isEmpty()) {
      tag.add(StateWriter.dataModel(machine.context()));
    }
    XmlTag rest =
        StateWriter.body(
            new XmlTag("sb:root").with("kind", root.kind() == Kind.PARALLEL ? "parallel" : null),
            root,
            initial != null && !StateWriter.isPlain(initial));
    if (!rest.isBare()) {
      tag.add(rest);
    }
    root.children().forEach(child -> tag.add(nested(child)));
    if (!machine.invariants().isEmpty()) {
      tag.add(
          new XmlTag("sb:invariants")
              .addAll(machine.invariants().stream().map(InvariantWriter::tag).toList()));
    }
    return machine.limits().equals(Limits.DEFAULT) ? tag : tag.add(limits(machine.limits()));
  }

  private static XmlTag nested(State state) {
    XmlTag tag = StateWriter.tag(state);
    state.children().forEach(child -> tag.add(nested(child)));
    return tag;
  }

  private static boolean bindsLate(State state) {
    return !state.data().isEmpty() || state.children().stream().anyMatch(ScxmlWriter::bindsLate);
  }

  private static XmlTag event(EventType event) {
    Type data = event.data();
    XmlTag tag =
        new XmlTag("sb:event")
            .with("name", event.name())
            .with("description", event.description())
            .with("data", data == null ? null : InvariantWriter.text(data));
    return event.roles().isEmpty() ? tag : tag.ownWords("roles", event.roles());
  }

  private static XmlTag limits(Limits limits) {
    return new XmlTag("sb:limits")
        .with("microsteps", Integer.toString(limits.microsteps()))
        .with("queue", Integer.toString(limits.queue()))
        .with("iterations", Integer.toString(limits.iterations()))
        .with("timers", Integer.toString(limits.timers()))
        .with("context_bytes", unusual(limits.contextBytes(), Limits.DEFAULT.contextBytes()))
        .with("step_bytes", unusual(limits.stepBytes(), Limits.DEFAULT.stepBytes()));
  }

  private static @Nullable String unusual(int value, int usual) {
    return value == usual ? null : Integer.toString(value);
  }
}
