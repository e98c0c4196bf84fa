package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A machine made ready for exploration. It means the same, but for four things: violated invariants
 * are reported instead of refusing the step; declared types do not hold values that are unknown to
 * their kind; every assignment goes through an expression, so that the exploration sees it; and
 * children without an id get one that does not change from run to run.
 */
final class AbstractMachine {
  /** Steps of the exploration are cut off here; a longer one is told as not seen. */
  static final int MICROSTEPS = 200;

  private final IdentityHashMap<Operand.Expr, Assignment> assignments = new IdentityHashMap<>();
  private final Machine machine;

  /**
   * An assignment that the exploration evaluates itself.
   *
   * @param location the path that gets the value
   */
  record Assignment(String location, Operand value) {
    String field() {
      int dot = location.indexOf('.');
      return dot < 0 ? location : location.substring(0, dot);
    }
  }

  AbstractMachine(Machine original) {
    machine =
        new Machine(
            original.name(),
            original.version(),
            original.mode(),
            original.description(),
            original.context().stream().map(AbstractMachine::untyped).toList(),
            original.events(),
            state(original.root()),
            reporting(original.invariants()),
            new Limits(
                Math.min(original.limits().microsteps(), MICROSTEPS),
                Math.min(original.limits().queue(), MICROSTEPS),
                original.limits().iterations(),
                Math.min(original.limits().timers(), MICROSTEPS),
                original.limits().contextBytes(),
                original.limits().stepBytes()));
  }

  Machine machine() {
    return machine;
  }

  /** The assignment behind an expression that stands for one, or null. */
  @Nullable Assignment assignment(Operand.Expr expr) {
    return assignments.get(expr);
  }

  /** The machine with invariants that report a violation and let the step stand. */
  static Machine reporting(Machine original) {
    return new Machine(
        original.name(),
        original.version(),
        original.mode(),
        original.description(),
        original.context(),
        original.events(),
        original.root(),
        reporting(original.invariants()),
        original.limits());
  }

  private static List<Invariant> reporting(List<Invariant> invariants) {
    return invariants.stream().map(AbstractMachine::reporting).toList();
  }

  private static Invariant reporting(Invariant invariant) {
    Severity warn = Severity.WARN;
    return switch (invariant) {
      case Invariant.Never i -> new Invariant.Never(i.name(), warn, i.fact());
      case Invariant.Apart i -> new Invariant.Apart(i.name(), warn, i.states());
      case Invariant.Always i -> new Invariant.Always(i.name(), warn, i.condition(), i.in());
      case Invariant.Before i -> new Invariant.Before(i.name(), warn, i.reaching(), i.first());
      case Invariant.LeadsTo i ->
          new Invariant.LeadsTo(i.name(), warn, i.trigger(), i.responses(), i.within(), i.target());
      case Invariant.Times i -> new Invariant.Times(i.name(), warn, i.fact(), i.min(), i.max());
      case Invariant.OneAtATime i ->
          new Invariant.OneAtATime(i.name(), warn, i.opens(), i.closes());
      case Invariant.Frozen i -> new Invariant.Frozen(i.name(), warn, i.field(), i.after());
    };
  }

  private static Field untyped(Field field) {
    return new Field(
        field.name(), Type.ANY, field.initial(), field.personal(), field.searchable(), field.own());
  }

  private State state(State state) {
    Transition initial = state.initial();
    List<Invoke> invokes = new ArrayList<>();
    for (int i = 0; i < state.invokes().size(); i++) {
      invokes.add(invoke(state.invokes().get(i), state.id() + "." + (i + 1)));
    }
    return new State(
        state.id(),
        state.kind(),
        initial == null ? null : transition(initial),
        state.children().stream().map(this::state).toList(),
        state.transitions().stream().map(this::transition).toList(),
        state.entry().stream().map(this::actions).toList(),
        state.exit().stream().map(this::actions).toList(),
        invokes,
        state.data().stream().map(AbstractMachine::untyped).toList(),
        state.done(),
        state.tools(),
        state.waits(),
        state.note());
  }

  private Invoke invoke(Invoke invoke, String id) {
    String given = invoke.id();
    return new Invoke(
        given == null ? id : given,
        invoke.idLocation(),
        invoke.type(),
        invoke.source(),
        invoke.inline(),
        invoke.content(),
        invoke.input(),
        invoke.autoforward(),
        actions(invoke.finalizer()));
  }

  private Transition transition(Transition transition) {
    return transition.doing(actions(transition.actions()));
  }

  private List<Action> actions(List<Action> actions) {
    return actions.stream().map(this::action).toList();
  }

  private Action action(Action action) {
    return switch (action) {
      case Action.Assign(String location, Operand value) -> {
        Assignment assignment = new Assignment(location, value);
        // A new object each time: identity is what tells assignments apart.
        Operand.Expr stand =
            Operand.expr(value instanceof Operand.Expr(String text) ? text : "null");
        assignments.put(stand, assignment);
        yield new Action.Assign(assignment.field(), stand);
      }
      case Action.If(List<Action.Branch> branches, List<Action> otherwise) ->
          new Action.If(
              branches.stream()
                  .map(b -> new Action.Branch(b.condition(), actions(b.actions())))
                  .toList(),
              actions(otherwise));
      case Action.Foreach loop ->
          new Action.Foreach(loop.list(), loop.item(), loop.index(), actions(loop.body()));
      case Action.Raise _,
          Action.Send _,
          Action.Cancel _,
          Action.Log _,
          Action.Emit _,
          Action.Perform _ ->
          action;
    };
  }
}
