package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The canonical form of a machine: a JSON value that holds every element of the model and leaves
 * out what is absent, empty or the default. Two machines have equal forms exactly when they are
 * equal.
 *
 * <p>This form is what published machines are identified by, so a change to it changes the identity
 * of every machine: add keys for new elements, never rename.
 */
public final class CanonicalMachine {
  private CanonicalMachine() {}

  public static Map<String, @Nullable Object> of(Machine machine) {
    return new Form()
        .put("machine", machine.name())
        .put("version", (long) machine.version())
        .put("mode", word(machine.mode()))
        .put("description", machine.description())
        .list("context", machine.context(), CanonicalMachine::field)
        .list("events", machine.events(), CanonicalMachine::event)
        .put("root", state(machine.root()))
        .list("invariants", machine.invariants(), CanonicalMachine::invariant)
        .put("limits", limits(machine.limits()))
        .put("byte_limits", byteLimits(machine.limits()))
        .map();
  }

  private static @Nullable Object byteLimits(Limits limits) {
    Limits usual = Limits.DEFAULT;
    return limits.contextBytes() == usual.contextBytes() && limits.stepBytes() == usual.stepBytes()
        ? null
        : List.of((long) limits.contextBytes(), (long) limits.stepBytes());
  }

  private static @Nullable Object limits(Limits limits) {
    Limits usual = Limits.DEFAULT;
    if (limits.microsteps() == usual.microsteps()
        && limits.queue() == usual.queue()
        && limits.iterations() == usual.iterations()
        && limits.timers() == usual.timers()) {
      return null;
    }
    return List.of(
        (long) limits.microsteps(),
        (long) limits.queue(),
        (long) limits.iterations(),
        (long) limits.timers());
  }

  private static Object field(Field field) {
    return new Form()
        .put("name", field.name())
        .put("type", type(field.type()))
        .put("initial", operand(field.initial()))
        .flag("own", field.own())
        .flag("personal", field.personal())
        .flag("searchable", field.searchable())
        .map();
  }

  private static Object event(EventType event) {
    Type data = event.data();
    return new Form()
        .put("name", event.name())
        .put("description", event.description())
        .put("data", data == null ? null : type(data))
        .list("roles", event.roles(), role -> role)
        .map();
  }

  private static Object type(Type type) {
    Type item = type.item();
    Form fields = new Form();
    type.fields().forEach((name, inner) -> fields.put(name, type(inner)));
    return new Form()
        .put("kind", word(type.kind()))
        .put("item", item == null ? null : type(item))
        .put("fields", fields.map().isEmpty() ? null : fields.map())
        .list("values", type.values(), CanonicalMachine::value)
        .flag("optional", type.optional())
        .map();
  }

  private static Object state(State state) {
    Transition initial = state.initial();
    Payload done = state.done();
    List<String> tools = state.tools();
    return new Form()
        .put("id", state.id())
        .put("kind", state.kind() == State.Kind.STATE ? null : word(state.kind()))
        .put("initial", initial == null ? null : transition(initial))
        .list("children", state.children(), CanonicalMachine::state)
        .list("transitions", state.transitions(), CanonicalMachine::transition)
        .list("entry", state.entry(), CanonicalMachine::actions)
        .list("exit", state.exit(), CanonicalMachine::actions)
        .list("invokes", state.invokes(), CanonicalMachine::invoke)
        .list("data", state.data(), CanonicalMachine::field)
        .put("done", done == null ? null : payload(done))
        .put("tools", tools == null ? null : new ArrayList<>(tools))
        .put("waits", state.waits())
        .put("note", state.note())
        .map();
  }

  private static Object transition(Transition transition) {
    Form form = new Form();
    switch (transition.trigger()) {
      case Trigger.Always _ -> {}
      case Trigger.On(List<String> descriptors) -> form.put("on", descriptors);
      case Trigger.After(Operand delay, String event, boolean cumulative) ->
          form.put("after", operand(delay)).put("event", event).flag("cumulative", cumulative);
    }
    Guard guard = transition.guard();
    if (guard != null) {
      form.put("when", guard.condition().text()).put("guard", guard.name());
    }
    return form.list("to", transition.targets(), target -> target)
        .flag("internal", transition.internal())
        .list("do", transition.actions(), CanonicalMachine::action)
        .put("label", transition.label())
        .map();
  }

  private static Object invoke(Invoke invoke) {
    Machine inline = invoke.inline();
    return new Form()
        .put("id", invoke.id())
        .put("id_location", invoke.idLocation())
        .put("type", operand(invoke.type()))
        .put("source", operand(invoke.source()))
        .put("inline", inline == null ? null : of(inline))
        .put("content", operand(invoke.content()))
        .payload("input", invoke.input())
        .flag("autoforward", invoke.autoforward())
        .list("finalizer", invoke.finalizer(), CanonicalMachine::action)
        .map();
  }

  private static Object actions(List<Action> actions) {
    return actions.stream().map(CanonicalMachine::action).toList();
  }

  private static Object action(Action action) {
    Form form = new Form();
    switch (action) {
      case Action.Assign(String location, Operand value) ->
          form.put("assign", location).put("value", operand(value));
      case Action.Raise(Operand event, Payload data) ->
          form.put("raise", operand(event)).payload("data", data);
      case Action.Send send ->
          form.put(
              "send",
              new Form()
                  .put("event", operand(send.event()))
                  .put("target", operand(send.target()))
                  .put("type", operand(send.type()))
                  .put("id", send.id())
                  .put("id_location", send.idLocation())
                  .put("delay", operand(send.delay()))
                  .payload("data", send.data())
                  .map());
      case Action.Cancel(Operand sendId) -> form.put("cancel", operand(sendId));
      case Action.Log(String label, Operand value) ->
          form.put("log", new Form().put("label", label).put("value", operand(value)).map());
      case Action.If(List<Action.Branch> branches, List<Action> otherwise) ->
          form.put("if", branches.stream().map(CanonicalMachine::branch).toList())
              .list("else", otherwise, CanonicalMachine::action);
      case Action.Foreach(Operand.Expr list, String item, String index, List<Action> body) ->
          form.put("foreach", list.text())
              .put("item", item)
              .put("index", index)
              .list("do", body, CanonicalMachine::action);
      case Action.Emit(String kind, Payload data) -> form.put("emit", kind).payload("data", data);
      case Action.Perform(
              String effect,
              String reply,
              boolean idempotent,
              String during,
              Retry retry,
              Payload input) ->
          form.put("perform", effect)
              .put("reply", reply)
              .flag("idempotent", idempotent)
              .put("during", during)
              .put("retry", retry == null ? null : retry.fields())
              .payload("input", input);
    }
    return form.map();
  }

  private static Object branch(Action.Branch branch) {
    return new Form()
        .put("when", branch.condition().text())
        .list("then", branch.actions(), CanonicalMachine::action)
        .map();
  }

  private static Object invariant(Invariant invariant) {
    Form form =
        new Form().put("name", invariant.name()).put("severity", word(invariant.severity()));
    switch (invariant) {
      case Invariant.Never(_, _, Fact fact) -> form.put("never", fact(fact));
      case Invariant.Apart(_, _, List<String> states) -> form.put("apart", states);
      case Invariant.Always(_, _, Operand.Expr condition, String in) ->
          form.put("always", condition.text()).put("in", in);
      case Invariant.Before(_, _, Fact reaching, Fact first) ->
          form.put("reaching", fact(reaching)).put("first", fact(first));
      case Invariant.LeadsTo leadsTo -> {
        Duration within = leadsTo.within();
        form.put("trigger", fact(leadsTo.trigger()))
            .put("responses", leadsTo.responses().stream().map(CanonicalMachine::fact).toList())
            .put("within", within == null ? null : within.toString())
            .put("target", leadsTo.target());
      }
      case Invariant.Times(_, _, Fact fact, int min, int max) ->
          form.put("times", fact(fact)).put("min", (long) min).put("max", (long) max);
      case Invariant.OneAtATime(_, _, Fact opens, Fact closes) ->
          form.put("opens", fact(opens)).put("closes", fact(closes));
      case Invariant.Frozen(_, _, String field, String after) ->
          form.put("frozen", field).put("after", after);
    }
    return form.map();
  }

  private static Object fact(Fact fact) {
    Form form = new Form();
    switch (fact) {
      case Fact.Enters(String state) -> form.put("enters", state);
      case Fact.Moves(String from, String to) -> form.put("from", from).put("to", to);
      case Fact.Receives(String event) -> form.put("event", event);
      case Fact.Emits(String kind, String key) -> form.put("record", kind).put("by", key);
    }
    return form.map();
  }

  private static @Nullable Object operand(@Nullable Operand operand) {
    return switch (operand) {
      case null -> null;
      case Operand.Expr(String text) -> Map.of("expr", text);
      case Operand.Literal(Object value) -> new Form().always("value", value(value)).map();
    };
  }

  private static Object payload(Payload payload) {
    return new Form()
        .list("params", payload.params(), CanonicalMachine::param)
        .put("content", operand(payload.content()))
        .map();
  }

  private static Object param(Payload.Param param) {
    return new Form()
        .put("name", param.name())
        .put("value", operand(param.value()))
        .flag("location", param.location())
        .map();
  }

  /**
   * A literal, so that values which canonical JSON writes alike stay apart: 1 and 1.0, a number and
   * the text of its digits. A map here always has one key, which says what follows.
   */
  private static @Nullable Object value(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Boolean truth -> truth;
      case String text -> text;
      case Long number -> Map.of("int", number.toString());
      case Double number -> Map.of("double", number.toString());
      case Duration duration -> Map.of("duration", duration.toString());
      case List<?> list -> {
        List<@Nullable Object> items = new ArrayList<>(list.size());
        for (Object item : list) {
          items.add(value(item));
        }
        yield items;
      }
      case Map<?, ?> map -> {
        Form entries = new Form();
        map.forEach((key, inner) -> entries.always(String.valueOf(key), value(inner)));
        yield Map.of("map", entries.map());
      }
      default ->
          throw new IllegalArgumentException(
              "Expected a JSON value, but found a " + value.getClass().getName() + ".");
    };
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Collects the keys of one element. */
  private static final class Form {
    private final Map<String, @Nullable Object> map = new LinkedHashMap<>();

    Form put(String key, @Nullable Object value) {
      if (value != null) {
        map.put(key, value);
      }
      return this;
    }

    Form always(String key, @Nullable Object value) {
      map.put(key, value);
      return this;
    }

    Form flag(String key, boolean value) {
      return put(key, value ? Boolean.TRUE : null);
    }

    <T> Form list(String key, List<T> items, Function<T, @Nullable Object> form) {
      List<@Nullable Object> forms = new ArrayList<>(items.size());
      for (T item : items) {
        forms.add(form.apply(item));
      }
      return put(key, forms.isEmpty() ? null : forms);
    }

    Form payload(String key, Payload payload) {
      return put(key, payload.isEmpty() ? null : CanonicalMachine.payload(payload));
    }

    Map<String, @Nullable Object> map() {
      return map;
    }
  }
}
