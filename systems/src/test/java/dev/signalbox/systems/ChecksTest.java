package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the checks and the model checker say about the machines that ship. */
class ChecksTest {
  static List<String> names() {
    return SystemMachines.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_machine_has_no_problem_no_warning_and_proved_invariants(String name) {
    CheckReport report = Check.run(SystemMachines.definition(name));

    assertThat(report.problems()).extracting(p -> p.render(SystemMachines.source(name))).isEmpty();
    assertThat(report.statistics().complete()).isTrue();
    assertThat(report.invariants())
        .filteredOn(v -> !(v instanceof Verdict.Proved))
        .extracting(v -> v.word() + " " + v.invariant().name())
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_machine_has_invariants(String name) {
    assertThat(SystemMachines.machine(name).invariants()).isNotEmpty();
  }
}
