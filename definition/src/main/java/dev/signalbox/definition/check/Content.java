package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Every action and every expression of a machine, in document order, with where it stands. Machines
 * written inside this one are not part of it.
 */
final class Content {

  /** What an expression's value is for. */
  enum Role {
    /** The condition of a transition. */
    GUARD,
    /** The condition of a branch. */
    BRANCH,
    /** The condition of an invariant. */
    INVARIANT,
    /** The list of a loop. */
    LIST,
    /** How long to wait. */
    DELAY,
    /** The name of an event, a target, a send or a child. */
    NAME,
    /** A value for the context, an event, an effect or a record. */
    VALUE;

    boolean isCondition() {
      return this == GUARD || this == BRANCH || this == INVARIANT;
    }
  }

  /** When an action runs. */
  enum Moment {
    ENTRY,
    EXIT,
    TRANSITION,
    INITIAL,
    FINALIZE
  }

  /**
   * An action and where it stands.
   *
   * @param transition the transition it belongs to, or null
   * @param locals the loop variables it can see
   */
  record Act(
      Action action,
      State state,
      @Nullable Transition transition,
      Moment moment,
      List<String> locals) {}

  /**
   * An expression and where it stands.
   *
   * @param transition the transition it belongs to, or null
   * @param action the action it belongs to, or null
   * @param part the field, payload parameter or assigned location that takes the value, or null
   * @param locals the loop variables it can see
   */
  record Use(
      Operand.Expr expr,
      Role role,
      State state,
      Moment moment,
      @Nullable Transition transition,
      @Nullable Action action,
      @Nullable String part,
      List<String> locals) {

    /** The descriptors of the transition it belongs to; empty when any event may be current. */
    List<String> events() {
      return transition != null && transition.trigger() instanceof Trigger.On on
          ? on.descriptors()
          : List.of();
    }
  }

  private final List<Act> acts = new ArrayList<>();
  private final List<Use> uses = new ArrayList<>();

  /** Where the walk is. */
  private record At(State state, @Nullable Transition transition, Moment moment) {}

  Content(Outline outline) {
    State root = outline.root();
    outline.machine().context().forEach(f -> field(f, root));
    state(root);
    outline.states().forEach(this::state);
    for (Invariant invariant : outline.machine().invariants()) {
      if (invariant instanceof Invariant.Always always) {
        uses.add(
            new Use(
                always.condition(),
                Role.INVARIANT,
                root,
                Moment.ENTRY,
                null,
                null,
                null,
                List.of()));
      }
    }
  }

  List<Act> acts() {
    return Collections.unmodifiableList(acts);
  }

  List<Use> uses() {
    return Collections.unmodifiableList(uses);
  }

  private void state(State state) {
    state.data().forEach(f -> field(f, state));
    At entry = new At(state, null, Moment.ENTRY);
    state.entry().forEach(block -> actions(block, entry, List.of()));
    At exit = new At(state, null, Moment.EXIT);
    state.exit().forEach(block -> actions(block, exit, List.of()));
    Transition initial = state.initial();
    if (initial != null) {
      transition(initial, new At(state, initial, Moment.INITIAL));
    }
    for (Transition t : state.transitions()) {
      transition(t, new At(state, t, Moment.TRANSITION));
    }
    state.invokes().forEach(i -> invoke(i, state));
    payload(state.done(), entry, null, List.of());
  }

  private void field(Field field, State state) {
    operand(
        field.initial(),
        Role.VALUE,
        new At(state, null, Moment.ENTRY),
        null,
        field.name(),
        List.of());
  }

  private void transition(Transition t, At at) {
    if (t.trigger() instanceof Trigger.After after) {
      operand(after.delay(), Role.DELAY, at, null, null, List.of());
    }
    Guard guard = t.guard();
    if (guard != null) {
      operand(guard.condition(), Role.GUARD, at, null, null, List.of());
    }
    actions(t.actions(), at, List.of());
  }

  private void invoke(Invoke invoke, State state) {
    At at = new At(state, null, Moment.ENTRY);
    operand(invoke.type(), Role.NAME, at, null, null, List.of());
    operand(invoke.source(), Role.NAME, at, null, null, List.of());
    operand(invoke.content(), Role.NAME, at, null, null, List.of());
    payload(invoke.input(), at, null, List.of());
    actions(invoke.finalizer(), new At(state, null, Moment.FINALIZE), List.of());
  }

  private void actions(List<Action> actions, At at, List<String> locals) {
    for (Action action : actions) {
      acts.add(new Act(action, at.state(), at.transition(), at.moment(), locals));
      action(action, at, locals);
    }
  }

  private void action(Action action, At at, List<String> locals) {
    switch (action) {
      case Action.Assign(String location, Operand value) ->
          operand(value, Role.VALUE, at, action, location, locals);
      case Action.Raise(Operand event, Payload data) -> {
        operand(event, Role.NAME, at, action, null, locals);
        payload(data, at, action, locals);
      }
      case Action.Send send -> {
        operand(send.event(), Role.NAME, at, action, null, locals);
        operand(send.target(), Role.NAME, at, action, null, locals);
        operand(send.type(), Role.NAME, at, action, null, locals);
        operand(send.delay(), Role.DELAY, at, action, null, locals);
        payload(send.data(), at, action, locals);
      }
      case Action.Cancel(Operand sendId) -> operand(sendId, Role.NAME, at, action, null, locals);
      case Action.Log log -> operand(log.value(), Role.VALUE, at, action, null, locals);
      case Action.If(List<Action.Branch> branches, List<Action> otherwise) -> {
        for (Action.Branch branch : branches) {
          operand(branch.condition(), Role.BRANCH, at, action, null, locals);
          actions(branch.actions(), at, locals);
        }
        actions(otherwise, at, locals);
      }
      case Action.Foreach loop -> {
        operand(loop.list(), Role.LIST, at, action, null, locals);
        List<String> inner = new ArrayList<>(locals);
        inner.add(loop.item());
        String index = loop.index();
        if (index != null) {
          inner.add(index);
        }
        actions(loop.body(), at, List.copyOf(inner));
      }
      case Action.Emit(String _, Payload data) -> payload(data, at, action, locals);
      case Action.Perform perform -> payload(perform.input(), at, action, locals);
    }
  }

  private void payload(
      @Nullable Payload payload, At at, @Nullable Action action, List<String> locals) {
    if (payload == null) {
      return;
    }
    for (Payload.Param param : payload.params()) {
      operand(param.value(), Role.VALUE, at, action, param.name(), locals);
    }
    operand(payload.content(), Role.VALUE, at, action, null, locals);
  }

  private void operand(
      @Nullable Operand operand,
      Role role,
      At at,
      @Nullable Action action,
      @Nullable String part,
      List<String> locals) {
    if (operand instanceof Operand.Expr expr) {
      uses.add(new Use(expr, role, at.state(), at.moment(), at.transition(), action, part, locals));
    }
  }
}
