package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Names the parts of a machine that change what it does and that SCXML has no word for. */
final class Extensions {
  private final Set<String> found = new TreeSet<>();

  private Extensions() {}

  static List<String> of(Machine machine) {
    Extensions extensions = new Extensions();
    extensions.look(machine);
    return new ArrayList<>(extensions.found);
  }

  private void look(Machine machine) {
    if (machine.mode() == Machine.Mode.STRICT) {
      found.add("strict mode");
    }
    if (!machine.invariants().isEmpty()) {
      found.add("invariants");
    }
    if (machine.events().stream().anyMatch(event -> !event.roles().isEmpty())) {
      found.add("roles");
    }
    look(machine.root());
  }

  private void look(State state) {
    if (state.tools() != null) {
      found.add("tool lists");
    }
    if (state.kind() == State.Kind.JOIN) {
      found.add("joins");
    }
    state.entry().forEach(this::look);
    state.exit().forEach(this::look);
    state.transitions().forEach(this::look);
    for (Invoke invoke : state.invokes()) {
      look(invoke.finalizer());
      Machine inline = invoke.inline();
      if (inline != null) {
        look(inline);
      }
    }
    state.children().forEach(this::look);
  }

  private void look(Transition transition) {
    if (transition.trigger() instanceof Trigger.After) {
      found.add("deadlines");
    }
    look(transition.actions());
  }

  private void look(List<Action> actions) {
    for (Action action : actions) {
      switch (action) {
        case Action.Emit _ -> found.add("emitted records");
        case Action.Perform _ -> found.add("effects");
        case Action.If choice -> {
          choice.branches().forEach(branch -> look(branch.actions()));
          look(choice.otherwise());
        }
        case Action.Foreach loop -> look(loop.body());
        case Action.Assign _, Action.Raise _, Action.Send _, Action.Cancel _, Action.Log _ -> {}
      }
    }
  }
}
