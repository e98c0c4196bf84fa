package dev.signalbox.definition.mermaid;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Short ways to read diagrams and to look at what came out. */
final class Diagrams {
  static final List<String> SYSTEMS =
      List.of("turn", "tool", "session", "agent", "autonomy", "plan");

  private Diagrams() {}

  /** Reads the lines as the body of a diagram; the first stands on line 2. */
  static Definition read(String... lines) {
    return text("stateDiagram-v2\n" + String.join("\n", lines) + "\n");
  }

  static Definition text(String text) {
    return MermaidReader.read(new Source("folder/test.mmd", text));
  }

  static String resource(String name) {
    try (InputStream in = Diagrams.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  static Machine machine(String... lines) {
    return machine(read(lines));
  }

  static Machine machine(Definition definition) {
    return Objects.requireNonNull(definition.machine());
  }

  static Graph graph(String... lines) {
    return Graph.of(machine(lines));
  }

  static List<String> names(Graph graph) {
    return graph.states().stream()
        .map(v -> v.within().isEmpty() ? v.id() : v.within() + "/" + v.id())
        .toList();
  }

  static List<String> arrows(Graph graph) {
    return graph.edges().stream()
        .map(e -> e.from() + " > " + e.to() + (e.label().isEmpty() ? "" : " : " + e.label()))
        .toList();
  }

  /** The problems as {@code error code line:column}. */
  static List<String> problems(Definition definition) {
    return definition.problems().stream()
        .map(p ->
            (p.severity() == Problem.Severity.ERROR ? "error " : "warning ")
                + "%s %d:%d".formatted(p.code(), p.place().line(), p.place().column()))
        .toList();
  }

  static State state(Machine machine, String id) {
    return all(machine.root()).stream()
        .filter(s -> s.id().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no state " + id));
  }

  static List<State> all(State state) {
    List<State> found = new ArrayList<>();
    found.add(state);
    state.children().forEach(child -> found.addAll(all(child)));
    return found;
  }

  /** The transitions of a state as {@code trigger > target}. */
  static List<String> transitions(Machine machine, String id) {
    return state(machine, id).transitions().stream()
        .map(t -> t.trigger().text() + " > " + String.join(",", t.targets()))
        .toList();
  }

  static Transition only(Machine machine, String id) {
    List<Transition> transitions = state(machine, id).transitions();
    if (transitions.size() != 1) {
      throw new AssertionError(id + " has " + transitions);
    }
    return transitions.getFirst();
  }
}
