package dev.signalbox.definition.sketch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Graph;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.dot.DotReader;
import dev.signalbox.definition.dot.DotWriter;
import dev.signalbox.definition.mermaid.MermaidReader;
import dev.signalbox.definition.mermaid.MermaidWriter;
import dev.signalbox.definition.plantuml.PlantUmlWriter;
import dev.signalbox.definition.xstate.XStateWriter;
import dev.signalbox.kernel.machine.Machine;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What every drawn format keeps of any machine: its graph. */
class DrawnFormatsTest {
  private static final int MACHINES = 400;

  @Test
  void any_machine_drawn_with_mermaid_reads_back_as_the_same_graph() {
    int drawn = 0;
    for (long seed = 0; seed < MACHINES; seed++) {
      Machine machine = RandomMachines.sample(seed);
      Problems lost = new Problems("m");
      String text = MermaidWriter.write(machine, lost);
      // Random machines may start outside themselves, which Mermaid cannot draw.
      if (lost.list().stream().noneMatch(p -> p.message().contains("a dot inside a state"))) {
        same(machine, MermaidReader.read(new Source("m.mmd", text)), seed);
        drawn++;
      }
    }
    assertThat(drawn).isGreaterThan(MACHINES / 2);
  }

  @Test
  void any_machine_drawn_with_dot_reads_back_as_the_same_graph() {
    for (long seed = 0; seed < MACHINES; seed++) {
      Machine machine = RandomMachines.sample(seed);
      String text = DotWriter.write(machine, new Problems("m"));
      same(machine, DotReader.read(new Source("m.dot", text)), seed);
    }
  }

  @Test
  void any_machine_can_be_drawn_with_plantuml_and_xstate() throws Exception {
    for (long seed = 0; seed < MACHINES; seed++) {
      Machine machine = RandomMachines.sample(seed);
      assertThat(PlantUmlWriter.write(machine, new Problems("m"))).endsWith("@enduml\n");
      assertThat(Json.parse(XStateWriter.write(machine, new Problems("m")))).isNotNull();
    }
  }

  private static void same(Machine machine, Definition again, long seed) {
    Graph expected = withoutRoot(Graph.of(machine));
    Graph actual = Graph.of(Objects.requireNonNull(again.machine()));
    assertThat(actual.sameAs(expected))
        .as("seed %d: %s, but was %s, with %s", seed, expected, actual, again.problems())
        .isTrue();
  }

  /** A drawing has no place for arrows that leave the machine as a whole; a warning says so. */
  private static Graph withoutRoot(Graph graph) {
    return new Graph(
        graph.states(),
        graph.edges().stream().filter(e -> !e.from().equals(Machine.ROOT)).toList());
  }
}
