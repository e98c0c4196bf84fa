package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** States, transitions, data and invocations as elements. */
final class StateWriter {
  private StateWriter() {}

  static XmlTag tag(State state) {
    Kind kind = state.kind();
    XmlTag tag =
        switch (kind) {
          case STATE -> new XmlTag("state").with("id", state.id());
          case PARALLEL -> new XmlTag("parallel").with("id", state.id());
          case FINAL -> new XmlTag("final").with("id", state.id());
          case SHALLOW_HISTORY ->
              new XmlTag("history").with("id", state.id()).with("type", "shallow");
          case DEEP_HISTORY -> new XmlTag("history").with("id", state.id()).with("type", "deep");
          case CHOICE, FORK, JOIN ->
              new XmlTag("state")
                  .with("id", state.id())
                  .with("sb:point", kind.name().toLowerCase(Locale.ROOT));
        };
    Transition initial = state.initial();
    boolean inAttribute = kind == Kind.STATE && initial != null && isPlain(initial);
    if (inAttribute && initial != null) {
      tag.words("initial", initial.targets());
    }
    return body(tag, state, !inAttribute);
  }

  /** Everything of a state but its id, its kind and an initial transition that is written. */
  static XmlTag body(XmlTag tag, State state, boolean withInitial) {
    List<String> tools = state.tools();
    if (tools != null) {
      tag.ownWords("sb:tools", tools);
    }
    tag.with("sb:waits", state.waits()).with("sb:note", state.note());
    if (!state.data().isEmpty()) {
      tag.add(dataModel(state.data()));
    }
    Transition initial = state.initial();
    if (withInitial && initial != null) {
      tag.add(
          state.kind().isHistory()
              ? transition(initial)
              : new XmlTag("initial").add(transition(initial)));
    }
    state.entry().forEach(b -> tag.add(new XmlTag("onentry").addAll(ActionWriter.tags(b))));
    state.exit().forEach(b -> tag.add(new XmlTag("onexit").addAll(ActionWriter.tags(b))));
    state.invokes().forEach(invoke -> tag.add(invoke(invoke)));
    state.transitions().forEach(transition -> tag.add(transition(transition)));
    Payload done = state.done();
    if (done != null) {
      tag.add(new XmlTag("donedata").addAll(ActionWriter.payload(done)));
    }
    return tag;
  }

  /** Whether it is nothing but targets, as in the attribute {@code initial}. */
  static boolean isPlain(Transition initial) {
    return initial.equals(Transition.to(initial.targets()));
  }

  static XmlTag dataModel(List<Field> fields) {
    XmlTag tag = new XmlTag("datamodel");
    for (Field field : fields) {
      XmlTag data =
          new XmlTag("data")
              .with("id", field.name())
              .with(
                  "sb:type",
                  field.type().equals(Type.ANY) ? null : InvariantWriter.text(field.type()))
              .flag("sb:personal", field.personal())
              .flag("sb:own", field.own())
              .flag("sb:searchable", field.searchable());
      tag.add(ActionWriter.valued(data, field.initial()));
    }
    return tag;
  }

  private static XmlTag transition(Transition transition) {
    XmlTag tag = new XmlTag("transition");
    switch (transition.trigger()) {
      case Trigger.Always _ -> {}
      case Trigger.On on -> tag.words("event", on.descriptors());
      case Trigger.After after -> deadline(tag, after);
    }
    Guard guard = transition.guard();
    if (guard != null) {
      tag.with("sb:guard", guard.name()).with("cond", guard.condition().text());
    }
    if (!transition.targets().isEmpty()) {
      tag.words("target", transition.targets());
    }
    return tag.with("type", transition.internal() ? "internal" : null)
        .with("sb:label", transition.label())
        .addAll(ActionWriter.tags(transition.actions()));
  }

  /** The event is there for other engines: without one they would take the transition at once. */
  private static void deadline(XmlTag tag, Trigger.After after) {
    String timer = after.event();
    Operand delay = after.delay();
    tag.with("event", timer != null && XmlTag.isWord(timer) ? timer : "signalbox.deadline");
    if (delay instanceof Operand.Literal(Duration fixed)) {
      tag.with("sb:after", Durations.text(fixed));
    } else {
      tag.value("sb:afterexpr", delay);
    }
    tag.with("sb:timer", timer).with("sb:clock", after.cumulative() ? "cumulative" : null);
  }

  private static XmlTag invoke(Invoke invoke) {
    XmlTag tag =
        new XmlTag("invoke")
            .with("id", invoke.id())
            .with("idlocation", invoke.idLocation())
            .operand("type", "typeexpr", invoke.type())
            .operand("src", "srcexpr", invoke.source())
            .flag("autoforward", invoke.autoforward());
    Payload input = invoke.input();
    tag.addAll(
        input.content() == null
            ? ActionWriter.payload(input)
            : List.of(new XmlTag("sb:input").addAll(ActionWriter.payload(input))));
    addMachine(tag, invoke.inline(), invoke.content());
    if (!invoke.finalizer().isEmpty()) {
      tag.add(new XmlTag("finalize").addAll(ActionWriter.tags(invoke.finalizer())));
    }
    return tag;
  }

  private static void addMachine(XmlTag tag, @Nullable Machine inline, @Nullable Operand content) {
    if (inline != null) {
      tag.add(new XmlTag("content").add(ScxmlWriter.tag(inline)));
    } else if (content != null) {
      tag.add(ActionWriter.content(content));
    }
  }
}
