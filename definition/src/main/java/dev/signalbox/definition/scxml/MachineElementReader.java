package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads an {@code scxml} element: a whole machine, be it a document or inside another. */
final class MachineElementReader {
  private static final Set<String> PARTS = Set.of("event", "limits", "invariants");

  private final Reading in;

  MachineElementReader(Reading in) {
    this.in = in;
  }

  /** Whether the element belongs to the machine as a whole, not to one of its states. */
  static boolean isPart(XmlElement element) {
    return element.isOurs() && PARTS.contains(element.name());
  }

  /**
   * @param fallbackName the machine's name when the text gives it none
   */
  Machine machine(XmlElement scxml, String fallbackName) {
    in.expectAttributes(
        scxml,
        Set.of("initial", "name", "version", "datamodel", "binding"),
        Set.of("version", "mode", "description", "initial", "tools", "waits", "note"));
    expectDataModel(scxml);
    String given = in.text(scxml, "name");
    String name = given == null || given.isBlank() ? fallbackName : given;
    ContentReader contents = new ContentReader(in);
    StateReader states =
        new StateReader(
            in, contents, new ActionReader(in, contents), name, new StateIds(scxml), isLate(scxml));
    State root = states.root(scxml);
    List<EventType> events = new ArrayList<>();
    List<Invariant> invariants = new ArrayList<>();
    Limits limits = Limits.DEFAULT;
    for (XmlElement part : scxml.elements().filter(MachineElementReader::isPart).toList()) {
      switch (part.name()) {
        case "event" -> events.add(event(part));
        case "limits" -> limits = limits(part);
        default -> invariants.addAll(new InvariantReader(in).invariants(part));
      }
    }
    return in.placed(
        new Machine(
            name,
            number(scxml, "version", 1),
            mode(scxml),
            in.own(scxml, "description"),
            states.context(),
            events,
            root,
            invariants,
            limits),
        scxml.place());
  }

  private Machine.Mode mode(XmlElement scxml) {
    return switch (in.own(scxml, "mode")) {
      case "strict" -> Machine.Mode.STRICT;
      case "scxml" -> Machine.Mode.SCXML;
      case null -> Machine.Mode.SCXML;
      case String other -> {
        in.problems.error(
            "unknown-mode",
            scxml.place(),
            "Expected the mode strict or scxml, but found '" + other + "'.",
            "");
        yield Machine.Mode.SCXML;
      }
    };
  }

  private boolean isLate(XmlElement scxml) {
    XmlElement.Attribute binding = scxml.attribute("binding");
    if (binding == null || binding.value().equals("early")) {
      return false;
    }
    if (!binding.value().equals("late")) {
      in.problems.error(
          "unknown-binding",
          binding.place(),
          "Expected the binding early or late, but found '" + binding.value() + "'.",
          "");
    }
    return true;
  }

  private void expectDataModel(XmlElement scxml) {
    XmlElement.Attribute dataModel = scxml.attribute("datamodel");
    if (dataModel != null && !Set.of("cel", "null", "").contains(dataModel.value())) {
      in.problems.warning(
          "data-model",
          dataModel.place(),
          "Expected the data model cel, but found '" + dataModel.value() + "'.",
          "Its expressions are read as CEL: write data.x for x, and location=\"x\" to assign it.");
    }
  }

  private EventType event(XmlElement element) {
    in.expectAttributes(element, Set.of(), Set.of("name", "description", "data", "roles"));
    XmlElement.Attribute data = element.own("data");
    XmlElement.Attribute roles = element.own("roles");
    return in.placed(
        new EventType(
            in.required(element, "name"),
            in.own(element, "description"),
            data == null ? null : new TypeReader(in).type(data),
            roles == null ? List.of() : in.ownWords(roles)),
        element.place());
  }

  private Limits limits(XmlElement element) {
    in.expectAttributes(
        element,
        Set.of(),
        Set.of("microsteps", "queue", "iterations", "timers", "context_bytes", "step_bytes"));
    Limits usual = Limits.DEFAULT;
    return new Limits(
        number(element, "microsteps", usual.microsteps()),
        number(element, "queue", usual.queue()),
        number(element, "iterations", usual.iterations()),
        number(element, "timers", usual.timers()),
        Math.clamp(number(element, "context_bytes", usual.contextBytes()), 1, Limits.MOST_BYTES),
        Math.clamp(number(element, "step_bytes", usual.stepBytes()), 1, Limits.MOST_BYTES));
  }

  private int number(XmlElement element, String name, int fallback) {
    XmlElement.Attribute own = element.own(name);
    Integer number = own == null ? Integer.valueOf(fallback) : number(in, own);
    return number == null ? fallback : number;
  }

  static @Nullable Integer number(Reading in, XmlElement.Attribute attribute) {
    try {
      return Integer.valueOf(attribute.value().strip());
    } catch (NumberFormatException _) {
      in.problems.error(
          "not-a-number",
          attribute.place(),
          "Expected '%s' to be a whole number, but it is '%s'."
              .formatted(attribute.name(), attribute.value()),
          "");
      return null;
    }
  }
}
