package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads states, transitions and invocations of one machine. */
final class StateReader {
  private static final Set<String> OWN_STATE_ATTRIBUTES = Set.of("point", "tools", "waits", "note");

  private final Reading in;
  private final ContentReader contents;
  private final ActionReader actions;
  private final String machine;
  private final StateIds ids;
  private final boolean late;
  private final List<Field> context = new ArrayList<>();
  private int inlines;
  private int level;
  private int states;

  /**
   * @param machine the machine's name, from which those of its inline children are made
   * @param late whether data declared in a state gets its value when the state is first entered
   */
  StateReader(
      Reading in,
      ContentReader contents,
      ActionReader actions,
      String machine,
      StateIds ids,
      boolean late) {
    this.in = in;
    this.contents = contents;
    this.actions = actions;
    this.machine = machine;
    this.ids = ids;
    this.late = late;
  }

  /** The fields that get their values when an instance starts, in document order. */
  List<Field> context() {
    return context;
  }

  /** The root state of the machine that {@code scxml} describes. */
  State root(XmlElement scxml) {
    State.Builder root = State.named(Machine.ROOT);
    initialAttribute(scxml, root);
    ownAttributes(scxml, root);
    for (XmlElement child : in.children(scxml)) {
      if (child.is("datamodel")) {
        context.addAll(contents.fields(child));
      } else if (child.isOurs("root")) {
        ownAttributes(child, root);
        if ("parallel".equals(in.own(child, "kind"))) {
          root.kind(Kind.PARALLEL);
        }
        body(child, root, false);
      } else if (!MachineElementReader.isPart(child) && !stateOrNothing(child, root)) {
        in.unexpected(child, scxml);
      }
    }
    return in.placed(root.build(), scxml.place());
  }

  private boolean stateOrNothing(XmlElement element, State.Builder parent) {
    Kind kind = kind(element);
    if (kind == null) {
      return false;
    }
    if (level == Limits.DEPTH || states == Limits.STATES) {
      boolean deep = level == Limits.DEPTH;
      in.problems.error(
          deep ? "too-deep" : "too-many-states",
          element.place(),
          deep
              ? "Expected at most " + Limits.DEPTH + " levels of states, but found more."
              : "Expected at most 10,000 states in a machine, but there are more.",
          "Split it into several machines.");
      return true;
    }
    level++;
    states++;
    parent.child(state(element, kind));
    level--;
    return true;
  }

  private @Nullable Kind kind(XmlElement element) {
    if (!element.isScxml()) {
      return null;
    }
    return switch (element.name()) {
      case "state" -> point(element);
      case "parallel" -> Kind.PARALLEL;
      case "final" -> Kind.FINAL;
      case "history" ->
          switch (in.text(element, "type")) {
            case "deep" -> Kind.DEEP_HISTORY;
            case "shallow" -> Kind.SHALLOW_HISTORY;
            case null -> Kind.SHALLOW_HISTORY;
            case String other -> {
              in.problems.error(
                  "unknown-history",
                  element.place(),
                  "Expected the type shallow or deep, but found '" + other + "'.",
                  "");
              yield Kind.SHALLOW_HISTORY;
            }
          };
      default -> null;
    };
  }

  private Kind point(XmlElement element) {
    return switch (in.own(element, "point")) {
      case "choice" -> Kind.CHOICE;
      case "fork" -> Kind.FORK;
      case "join" -> Kind.JOIN;
      case null -> Kind.STATE;
      case String other -> {
        in.problems.error(
            "unknown-point",
            element.place(),
            "Expected the point choice, fork or join, but found '" + other + "'.",
            "");
        yield Kind.STATE;
      }
    };
  }

  private State state(XmlElement element, Kind kind) {
    Set<String> attributes =
        kind.isHistory()
            ? Set.of("id", "type")
            : kind == Kind.STATE ? Set.of("id", "initial") : Set.of("id");
    in.expectAttributes(element, attributes, OWN_STATE_ATTRIBUTES);
    State.Builder state = State.named(ids.of(element)).kind(kind);
    initialAttribute(element, state);
    ownAttributes(element, state);
    body(element, state, kind.isHistory());
    return in.placed(state.build(), element.place());
  }

  private void body(XmlElement element, State.Builder state, boolean history) {
    for (XmlElement child : in.children(element)) {
      if (stateOrNothing(child, state)) {
        continue;
      }
      switch (child.isScxml() ? child.name() : "") {
        case "transition" -> {
          if (history) {
            state.initial(transition(child));
          } else {
            state.transition(transition(child));
          }
        }
        case "initial" -> state.initial(initial(child, element));
        case "onentry" -> state.onEntry(block(child));
        case "onexit" -> state.onExit(block(child));
        case "invoke" -> state.invoke(invoke(child));
        case "datamodel" -> {
          List<Field> fields = contents.fields(child);
          if (late) {
            fields.forEach(state::field);
          } else {
            context.addAll(fields);
          }
        }
        case "donedata" -> state.done(done(child));
        default -> in.unexpected(child, element);
      }
    }
  }

  private List<Action> block(XmlElement element) {
    in.expectAttributes(element, Set.of(), Set.of());
    return actions.block(element);
  }

  private void initialAttribute(XmlElement element, State.Builder state) {
    XmlElement.Attribute initial = element.attribute("initial");
    XmlElement.Attribute own = element.own("initial");
    if (own != null) {
      state.initial(in.placed(Transition.to(in.ownWords(own)), own.place()));
    } else if (initial != null) {
      state.initial(in.placed(Transition.to(Reading.words(initial.value())), initial.place()));
    }
  }

  private void ownAttributes(XmlElement element, State.Builder state) {
    XmlElement.Attribute tools = element.own("tools");
    if (tools != null) {
      state.tools(in.ownWords(tools));
    }
    String waits = in.own(element, "waits");
    if (waits != null) {
      state.waits(waits);
    }
    String note = in.own(element, "note");
    if (note != null) {
      state.note(note);
    }
  }

  private @Nullable Transition initial(XmlElement initial, XmlElement parent) {
    in.expectAttributes(initial, Set.of(), Set.of());
    if (parent.attribute("initial") != null) {
      in.twice(parent, initial.place(), "initial", "<initial>");
    }
    Transition found = null;
    for (XmlElement child : in.children(initial)) {
      if (child.is("transition") && found == null) {
        found = transition(child);
      } else {
        in.unexpected(child, initial);
      }
    }
    if (found == null) {
      in.problems.error(
          "missing-transition",
          initial.place(),
          "Expected <initial> to hold a <transition>, but it holds none.",
          "");
    }
    return found;
  }

  private Transition transition(XmlElement element) {
    in.expectAttributes(
        element,
        Set.of("event", "cond", "target", "type"),
        Set.of("after", "afterexpr", "timer", "clock", "guard", "label", "target", "event"));
    XmlElement.Attribute cond = element.attribute("cond");
    Guard guard =
        cond == null
            ? null
            : in.placed(new Guard(in.own(element, "guard"), in.condition(cond)), cond.place());
    String type = in.text(element, "type");
    if (type != null && !type.equals("internal") && !type.equals("external")) {
      in.problems.error(
          "unknown-transition-type",
          element.place(),
          "Expected the type internal or external, but found '" + type + "'.",
          "");
    }
    return in.placed(
        new Transition(
            trigger(element),
            guard,
            list(element, "target"),
            "internal".equals(type),
            actions.block(element),
            in.own(element, "label")),
        element.place());
  }

  private Trigger trigger(XmlElement element) {
    Operand delay = delay(element);
    if (delay != null) {
      return new Trigger.After(
          delay, in.own(element, "timer"), "cumulative".equals(in.own(element, "clock")));
    }
    boolean waits = element.attribute("event") != null || element.own("event") != null;
    return waits ? new Trigger.On(list(element, "event")) : new Trigger.Always();
  }

  private @Nullable Operand delay(XmlElement element) {
    XmlElement.Attribute after = element.own("after");
    if (after != null) {
      return in.placed(Operand.literal(ActionReader.duration(in, after)), after.place());
    }
    XmlElement.Attribute computed = element.own("afterexpr");
    return computed == null ? null : in.expression(element, computed);
  }

  /** The words of SCXML's attribute, or of ours where SCXML's cannot say them. */
  private List<String> list(XmlElement element, String name) {
    XmlElement.Attribute own = element.own(name);
    if (own != null) {
      return in.ownWords(own);
    }
    XmlElement.Attribute attribute = element.attribute(name);
    return attribute == null ? List.of() : Reading.words(attribute.value());
  }

  private Payload done(XmlElement element) {
    in.expectAttributes(element, Set.of(), Set.of());
    for (XmlElement child : in.children(element)) {
      if (!child.is("content") && !child.is("param")) {
        in.unexpected(child, element);
      }
    }
    return contents.payload(element);
  }

  private Invoke invoke(XmlElement element) {
    in.expectAttributes(
        element,
        Set.of("type", "typeexpr", "src", "srcexpr", "id", "idlocation", "namelist", "autoforward"),
        Set.of());
    XmlElement.Attribute id = element.attribute("id");
    XmlElement.Attribute idLocation = element.attribute("idlocation");
    in.expectOneId(element, id, idLocation);
    Operand source = in.operand(element, "src", "srcexpr");
    Machine inline = null;
    Operand content = null;
    Payload input = null;
    List<Action> finalizer = List.of();
    for (XmlElement child : in.children(element)) {
      if (child.is("content")) {
        if (source != null) {
          in.twice(element, child.place(), "src", "<content>");
        }
        XmlElement chart = child.elements().filter(e -> e.is("scxml")).findFirst().orElse(null);
        if (chart != null && child.attribute("expr") == null) {
          inline = new MachineElementReader(in).machine(chart, machine + "." + ++inlines);
        } else {
          content = contents.content(child);
        }
      } else if (child.is("finalize")) {
        finalizer = block(child);
      } else if (child.isOurs("input")) {
        input = contents.payload(child);
      } else if (!child.is("param")) {
        in.unexpected(child, element);
      }
    }
    if (input == null) {
      input = contents.payload(withoutContent(element));
    }
    return in.placed(
        new Invoke(
            id == null ? null : id.value(),
            idLocation == null ? null : idLocation.value(),
            in.operand(element, "type", "typeexpr"),
            source,
            inline,
            content,
            input,
            in.flag(element, element.attribute("autoforward")),
            finalizer),
        element.place());
  }

  /** In an invocation {@code content} is the child's machine, not the data it gets. */
  private static XmlElement withoutContent(XmlElement element) {
    List<XmlNode> rest = new ArrayList<>();
    for (XmlNode node : element.content()) {
      if (!(node instanceof XmlElement child && child.is("content"))) {
        rest.add(node);
      }
    }
    return new XmlElement(
        element.namespace(),
        element.prefix(),
        element.name(),
        element.attributes(),
        rest,
        element.place());
  }
}
