package dev.signalbox.systems;

import dev.signalbox.definition.Problems;
import dev.signalbox.definition.mermaid.MermaidWriter;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Mermaid diagram of a machine with the states and the ways between them and nothing else:
 * guards only by their names, no notes, nothing that leaves every state as it is. The page has the
 * rest in tables.
 */
final class PlainPicture {
  private PlainPicture() {}

  static String of(Machine machine) {
    Machine plain =
        new Machine(
            machine.name(),
            machine.version(),
            machine.mode(),
            null,
            List.of(),
            List.of(),
            plain(machine.root()),
            List.of(),
            machine.limits());
    return MermaidWriter.write(plain, new Problems(machine.name())).stripTrailing();
  }

  private static State plain(State state) {
    State.Builder plain = State.named(state.id()).kind(state.kind()).initial(state.initial());
    state.children().forEach(child -> plain.child(plain(child)));
    Set<Transition> ways = new LinkedHashSet<>();
    for (Transition way : state.transitions()) {
      if (!way.targets().isEmpty()) {
        ways.add(way.when(plain(way.guard())).doing(List.of()));
      }
    }
    ways.forEach(plain::transition);
    return plain.build();
  }

  private static @Nullable Guard plain(@Nullable Guard guard) {
    String name = guard == null ? null : guard.name();
    return name == null ? null : new Guard(name, Operand.expr(name));
  }
}
