package dev.signalbox.kernel.machine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A versioned, immutable definition of a statechart.
 *
 * @param root the state that contains all others, compound or parallel; its id is never a target. A
 *     parallel root ends when all its regions have ended
 * @param context the declared data of an instance, in order
 * @param events what may be sent, where the definition says more than the name
 */
public record Machine(
    String name,
    int version,
    Mode mode,
    @Nullable String description,
    List<Field> context,
    List<EventType> events,
    State root,
    List<Invariant> invariants,
    Limits limits) {

  /** The id of the root state of every machine. */
  public static final String ROOT = "(root)";

  public Machine {
    context = List.copyOf(context);
    events = List.copyOf(events);
    invariants = List.copyOf(invariants);
  }

  /** Every effect that the machine can ask for, in no particular order. */
  public List<Action.Perform> effects() {
    List<Action.Perform> effects = new ArrayList<>();
    collect(root, effects);
    return effects;
  }

  private static void collect(State state, List<Action.Perform> effects) {
    state.entry().forEach(block -> collect(block, effects));
    state.exit().forEach(block -> collect(block, effects));
    Transition initial = state.initial();
    if (initial != null) {
      collect(initial.actions(), effects);
    }
    state.transitions().forEach(transition -> collect(transition.actions(), effects));
    state.invokes().forEach(invoke -> collect(invoke.finalizer(), effects));
    state.children().forEach(child -> collect(child, effects));
  }

  private static void collect(List<Action> actions, List<Action.Perform> effects) {
    for (Action action : actions) {
      switch (action) {
        case Action.Perform perform -> effects.add(perform);
        case Action.If choice -> {
          choice.branches().forEach(branch -> collect(branch.actions(), effects));
          collect(choice.otherwise(), effects);
        }
        case Action.Foreach loop -> collect(loop.body(), effects);
        case Action.Assign _,
            Action.Raise _,
            Action.Send _,
            Action.Cancel _,
            Action.Emit _,
            Action.Log _ -> {}
      }
    }
  }

  /** The two declared modes of meaning. */
  public enum Mode {
    /** An event without a transition, or an expression that fails, is refused as a whole. */
    STRICT,
    /** As W3C says: unmatched events are dropped, failures become {@code error.execution}. */
    SCXML
  }
}
