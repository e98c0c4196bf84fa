package dev.signalbox.definition.check;

import dev.cel.common.ast.CelExpr;
import dev.signalbox.kernel.Environment;
import dev.signalbox.kernel.EventRule;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a gate is opened by what an event says of itself: its target is protected by an
 * invariant, its condition reads the event's data, and anybody may send it. What decides (who
 * approved, what passed, what it cost) is owned by an instance, so whoever says it needs a role.
 */
final class DecidedByData {
  private final Inspection in;
  private final Syntax syntax;
  private final Environment environment;

  DecidedByData(Inspection in, Syntax syntax) {
    this.in = in;
    this.syntax = syntax;
    this.environment = Environment.of(in.machine());
  }

  void run() {
    Set<String> guarded = guarded(in.machine().invariants());
    if (guarded.isEmpty() || !in.isStrict()) {
      return;
    }
    for (State state : in.outline().states()) {
      for (Transition transition : state.transitions()) {
        look(state, transition, guarded);
      }
    }
  }

  /** The states that an invariant asks something of. */
  static Set<String> guarded(Iterable<Invariant> invariants) {
    Set<String> states = new LinkedHashSet<>();
    for (Invariant invariant : invariants) {
      if (invariant instanceof Invariant.Always always && always.in() != null) {
        states.add(always.in());
      } else if (invariant instanceof Invariant.Before before) {
        switch (before.reaching()) {
          case Fact.Enters(String state) -> states.add(state);
          case Fact.Moves(String _, String to) -> states.add(to);
          case Fact.Receives _, Fact.Emits _ -> {}
        }
      }
    }
    return states;
  }

  private void look(State state, Transition transition, Set<String> guarded) {
    Guard guard = transition.guard();
    if (!(transition.trigger() instanceof Trigger.On on) || guard == null || !readsEvent(guard)) {
      return;
    }
    for (State entered : in.outline().targets(transition)) {
      String target = gate(state, entered, guarded);
      if (target != null) {
        for (String name : environment.names(on.descriptors())) {
          EventRule rule = environment.rule(name);
          if (rule.isOpen() && rule.roles().isEmpty()) {
            in.warning(
                "decided-by-data",
                transition,
                "Expected '%s' from somebody with a role, since an invariant protects '%s' and the event's data decides, but anybody may send it."
                    .formatted(name, target),
                "Name the 'roles' of the event, or keep what decides in a field of the machine's"
                    + " own.");
          }
        }
      }
    }
  }

  /** The protected state that is entered with the target, and was not active before; or null. */
  private @Nullable String gate(State from, State entered, Set<String> guarded) {
    for (State each : in.outline().pathUp(entered)) {
      if (guarded.contains(each.id()) && !in.outline().isWithin(from, each)) {
        return each.id();
      }
    }
    return null;
  }

  private boolean readsEvent(Guard guard) {
    return syntax.parse(guard.condition().text()).map(DecidedByData::readsEvent).orElse(false);
  }

  private static boolean readsEvent(CelExpr expr) {
    if (Syntax.isName(expr, "event") || Syntax.isName(expr, "_event")) {
      return true;
    }
    boolean[] reads = {false};
    Syntax.children(expr, child -> reads[0] |= readsEvent(child));
    return reads[0];
  }
}
