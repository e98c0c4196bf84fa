package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every machine against the table of its settled transitions, both ways. */
class TransitionTablesTest {
  /**
   * Machines of ours that no source document describes, so that there is nothing to hold them to.
   */
  private static final List<String> WITHOUT_TABLE =
      List.of("budget", "subscription", "delivery", "alert");

  static List<String> names() {
    return SystemMachines.names().stream().filter(n -> !WITHOUT_TABLE.contains(n)).toList();
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_machine_has_the_transitions_of_its_table_and_no_others(String name) {
    Set<Row> table = TransitionTable.of(name).rows();
    Set<Row> machine = TableLevel.rows(SystemMachines.machine(name));

    assertThat(difference(table, machine))
        .as("%s: '-' is in the table and not in the machine, '+' the other way round", name)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_machine_has_the_states_of_its_table_and_no_others(String name) {
    assertThat(TableLevel.topLevel(SystemMachines.machine(name)))
        .containsExactlyInAnyOrderElementsOf(TransitionTable.of(name).states());
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_state_that_the_table_never_leaves_is_final_and_every_other_is_not(String name) {
    Set<String> left =
        TransitionTable.of(name).rows().stream().map(Row::from).collect(Collectors.toSet());

    for (State state : SystemMachines.machine(name).root().children()) {
      assertThat(state.kind() == State.Kind.FINAL)
          .as(state.id())
          .isNotEqualTo(left.contains(state.id()));
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_correction_is_for_the_sweep_alone(String name) {
    Machine machine = SystemMachines.machine(name);
    for (Row row : TransitionTable.ofSource(name, "correction")) {
      assertThat(machine.events().stream().filter(e -> e.name().equals(row.trigger())))
          .as(row.toString())
          .extracting(EventType::roles)
          .containsExactly(List.of("sweep"));
    }
  }

  /** The table of conversations.session has its lifecycle alone; these are ours, by the sheet. */
  @ParameterizedTest
  @ValueSource(strings = {"automation", "silence", "flow"})
  void a_region_of_a_conversation_has_the_transitions_of_the_sheet(String region) {
    TransitionTable table = TransitionTable.of("/regions/", region);
    State open = SystemMachines.machine("conversations.session").root().children().getFirst();
    State part =
        open.children().stream().filter(s -> s.id().equals(region)).findFirst().orElseThrow();

    assertThat(difference(table.rows(), TableLevel.rows(part, table.states()))).isEmpty();
  }

  @Test
  void a_difference_names_what_is_missing_and_what_is_too_much() {
    Row kept = new Row("A", "go", "B");
    Row missing = new Row("B", "after 1d", "A").normal();
    Row extra = new Row("B", "stop", "A");

    assertThat(difference(Set.of(kept, missing), Set.of(kept, extra)))
        .containsExactly("- B --after 24h--> A", "+ B --stop--> A");
  }

  private static List<String> difference(Set<Row> table, Set<Row> machine) {
    Set<Row> missing = new LinkedHashSet<>(table);
    missing.removeAll(machine);
    Set<Row> extra = new LinkedHashSet<>(machine);
    extra.removeAll(table);
    return Stream.concat(
            missing.stream().map(row -> "- " + row), extra.stream().map(row -> "+ " + row))
        .toList();
  }
}
