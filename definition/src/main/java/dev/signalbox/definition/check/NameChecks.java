package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether the fields and events that are declared are used, and those that are used declared. */
final class NameChecks {
  private final Inspection in;
  private final Syntax syntax;
  private final Set<String> used = new HashSet<>();
  private final Set<String> declared = new HashSet<>();
  private final Set<String> children = new HashSet<>();
  private boolean everythingUsed;
  private boolean childrenAreComputed;

  NameChecks(Inspection in, Syntax syntax) {
    this.in = in;
    this.syntax = syntax;
  }

  void run() {
    in.machine().context().forEach(f -> declared.add(f.name()));
    for (State state : in.outline().states()) {
      state.data().forEach(f -> declared.add(f.name()));
      state.data().forEach(this::personal);
      state.invokes().forEach(this::invoke);
    }
    in.content().uses().forEach(this::expression);
    in.content().acts().forEach(this::action);
    for (Invariant invariant : in.machine().invariants()) {
      if (invariant instanceof Invariant.Frozen frozen) {
        used.add(frozen.field());
      }
    }
    fields();
    events();
  }

  private void personal(Field field) {
    if (field.personal() && field.searchable()) {
      in.error(
          "personal-searchable",
          field,
          "Expected the personal field '%s' not to be searchable, but it is declared so."
              .formatted(field.name()),
          "What is searched by stands in an index, where it can't be erased; take one away.");
    }
  }

  private void fields() {
    for (Field field : in.machine().context()) {
      personal(field);
      if (!everythingUsed && !used.contains(field.name()) && !field.searchable()) {
        in.warning(
            "unused-field",
            field,
            "Expected the field '%s' to be assigned or read, but nothing uses it."
                .formatted(field.name()),
            "Remove it, or declare it 'searchable' if it is there to be found by.");
      }
    }
  }

  private void events() {
    List<String> descriptors = new ArrayList<>();
    List<State> all = new ArrayList<>(List.of(in.outline().root()));
    all.addAll(in.outline().states());
    for (State state : all) {
      for (Transition transition : state.transitions()) {
        switch (transition.trigger()) {
          case Trigger.On on -> descriptors.addAll(on.descriptors());
          case Trigger.After after when after.event() != null -> descriptors.add(after.event());
          case Trigger.After _, Trigger.Always _ -> {}
        }
      }
    }
    if (in.isStrict()) {
      in.content().acts().forEach(a -> unheard(a.action(), descriptors));
    }
    for (EventType event : in.machine().events()) {
      boolean sent = in.content().acts().stream().anyMatch(a -> sends(a.action(), event.name()));
      boolean named = in.machine().invariants().stream().anyMatch(i -> names(i, event.name()));
      if (!sent && !named && !Descriptors.anyMatches(descriptors, event.name())) {
        in.warning(
            "unused-event",
            event,
            "Expected a transition for the event '%s', but there is none.".formatted(event.name()),
            Inspection.suggest(
                event.name(), descriptors, "Add the transition, or remove the event."));
      }
    }
  }

  /** An event that the machine raises for itself and no transition waits for. */
  private void unheard(Action action, List<String> descriptors) {
    if (action instanceof Action.Raise(Operand.Literal(String event), Payload _)
        && !Descriptors.anyMatches(descriptors, event)) {
      in.warning(
          "unknown-event",
          action,
          "Expected a transition for the event '%s', which is raised here, but there is none."
              .formatted(event),
          Inspection.suggest(event, descriptors, "Add the transition, or do not raise it."));
    }
  }

  private static boolean sends(Action action, String event) {
    return switch (action) {
      case Action.Raise(Operand.Literal(Object name), Payload _) -> event.equals(name);
      case Action.Send send ->
          send.event() instanceof Operand.Literal(Object name) && event.equals(name);
      default -> false;
    };
  }

  private static boolean names(Invariant invariant, String event) {
    return invariant instanceof Invariant.Never never
        && never.fact() instanceof Fact.Receives(String descriptor)
        && Descriptors.matches(descriptor, event);
  }

  private void expression(Content.Use use) {
    Syntax.Reads reads = syntax.reads(use.expr().text());
    used.addAll(reads.fields());
    everythingUsed |= reads.all();
  }

  private void action(Content.Act act) {
    switch (act.action()) {
      case Action.Assign assign -> {
        assigned(assign, assign.location());
        used.add(root(assign.location()));
      }
      case Action.Send send -> {
        use(send.idLocation());
        payload(send.data());
        child(send);
      }
      case Action.Foreach loop -> {
        used.add(loop.item());
        use(loop.index());
      }
      case Action.Raise raise -> payload(raise.data());
      case Action.Emit emit -> payload(emit.data());
      case Action.Perform perform -> payload(perform.input());
      case Action.Cancel _, Action.Log _, Action.If _ -> {}
    }
  }

  private void invoke(Invoke invoke) {
    use(invoke.idLocation());
    payload(invoke.input());
    String id = invoke.id();
    if (id == null) {
      childrenAreComputed = true;
    } else {
      children.add(id);
    }
  }

  /** A send to a child that no state invokes; SCXML writes the child's address as {@code #_id}. */
  private void child(Action.Send send) {
    if (childrenAreComputed
        || !(send.target() instanceof Operand.Literal(String target))
        || !target.startsWith("#_")) {
      return;
    }
    String id = target.substring(2);
    boolean reserved = id.equals("parent") || id.equals("internal") || id.startsWith("scxml_");
    if (!reserved && !children.contains(id)) {
      in.errorIfStrict(
          "unknown-child",
          send,
          "Expected a child '%s' to send to, but no state invokes one.".formatted(id),
          Inspection.suggest(id, children, "Give the invoke that id, or correct the name."));
    }
  }

  private void payload(Payload payload) {
    for (Payload.Param param : payload.params()) {
      if (param.location() && param.value() instanceof Operand.Literal(String path)) {
        used.add(root(path));
      }
    }
  }

  private void use(@Nullable String location) {
    if (location != null) {
      used.add(root(location));
    }
  }

  private void assigned(Action.Assign assign, String location) {
    if (!declared.contains(root(location))) {
      in.errorIfStrict(
          "unknown-field",
          assign,
          "Expected to assign a field of the context, but there is no '%s'."
              .formatted(root(location)),
          Inspection.suggest(root(location), declared, "Declare the field under 'context'."));
    }
  }

  private static String root(String location) {
    String path = location.startsWith("data.") ? location.substring(5) : location;
    int end = 0;
    while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
      end++;
    }
    return path.substring(0, end);
  }
}
