package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckOptions;
import dev.signalbox.definition.check.Gate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What {@code check} says it takes to come behind the gates of machines that ship. */
class ShippedGatesTest {

  @Test
  void one_approver_grants_where_the_start_asks_for_no_more() throws IOException {
    Gate gate = gate("/dev/signalbox/services/approval.yaml", "APPROVED");
    assertThat(gate.found()).isTrue();
    assertThat(gate.actors()).isEqualTo(1);
    assertThat(gate.roles()).contains("approver");
    assertThat(gate.shortenedBy()).contains("digest", "requester");
  }

  private static Gate gate(String resource, String state) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(ShippedGatesTest.class.getResourceAsStream(resource))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Definition definition = MachineReader.readAll(new Source(resource, text), null).getFirst();
      return Check.run(definition, CheckOptions.DEFAULT.withGates()).gates().stream()
          .filter(gate -> gate.state().equals(state))
          .findFirst()
          .orElseThrow();
    }
  }
}
