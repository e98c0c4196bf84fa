package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckOptions;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ChecksTest {

  static List<String> names() {
    return SystemMachines.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void the_checks_find_no_problem_and_no_warning(String name) {
    assertThat(Check.run(SystemMachines.definition(name), CheckOptions.STRUCTURE).problems())
        .extracting(p -> p.render(SystemMachines.source(name)))
        .isEmpty();
  }
}
