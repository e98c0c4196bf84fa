package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineIdentity;
import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MachinesTest {

  static List<String> names() {
    return SystemMachines.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void a_machine_reads_without_problems_under_its_own_name(String name) {
    assertThat(SystemMachines.definition(name).problems())
        .extracting(p -> p.render(SystemMachines.source(name)))
        .isEmpty();
    assertThat(SystemMachines.machine(name).name()).isEqualTo(name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void reading_twice_gives_the_same_machine(String name) {
    Machine again = YamlReader.read(SystemMachines.source(name)).machine();

    assertThat(again).isNotNull().isEqualTo(SystemMachines.machine(name));
    assertThat(MachineIdentity.of(Objects.requireNonNull(again)))
        .isEqualTo(MachineIdentity.of(SystemMachines.machine(name)));
  }

  @Test
  void no_two_machines_are_the_same() {
    assertThat(SystemMachines.names())
        .extracting(name -> MachineIdentity.digest(SystemMachines.machine(name)))
        .doesNotHaveDuplicates();
  }

  @Test
  void a_name_that_is_none_is_refused_with_the_names_there_are() {
    assertThatThrownBy(() -> SystemMachines.machine("runs.walk"))
        .hasMessageContaining("'runs.walk'")
        .hasMessageContaining("runs.run");
  }
}
