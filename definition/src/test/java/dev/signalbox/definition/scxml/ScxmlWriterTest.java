package dev.signalbox.definition.scxml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ScxmlWriterTest {

  private static Machine machine(Machine.Mode mode, State... states) {
    State.Builder root = State.named(Machine.ROOT).initial(Transition.to(states[0].id()));
    List.of(states).forEach(root::child);
    return new Machine(
        "m", 1, mode, null, List.of(), List.of(), root.build(), List.of(), Limits.DEFAULT);
  }

  @Test
  void what_was_written_is_read_back_as_the_same_machine() {
    for (long seed = 0; seed < 300; seed++) {
      Machine machine = new OddMachines(seed).machine(2);
      String text = ScxmlWriter.write(machine, new Problems("odd"));
      Definition definition = ScxmlReader.read(new Source("x.scxml", text), null);
      assertThat(machine.equals(definition.machine())).as("seed %d", seed).isTrue();
    }
  }

  @Provide
  Arbitrary<Machine> machines() {
    return RandomMachines.any();
  }

  @Property(tries = 300)
  void any_machine_survives_writing_and_reading(@ForAll("machines") Machine machine) {
    String text = ScxmlWriter.write(machine, new Problems("random"));
    Definition definition = ScxmlReader.read(new Source("x.scxml", text), null);
    assertThat(definition.problems().stream().filter(Problem::isError)).isEmpty();
    assertThat(definition.machine()).isEqualTo(machine);
  }

  @Test
  void a_plain_machine_is_plain_scxml() {
    Problems problems = new Problems("m");
    String text =
        ScxmlWriter.write(
            machine(
                Machine.Mode.SCXML,
                State.named("a").transition(Transition.on("go", "b")).build(),
                State.named("b").kind(State.Kind.FINAL).build()),
            problems);
    assertThat(text)
        .isEqualTo(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="cel" name="m" initial="a">
              <state id="a">
                <transition event="go" target="b"/>
              </state>
              <final id="b"/>
            </scxml>
            """);
    assertThat(problems.list()).isEmpty();
  }

  @Test
  void what_other_engines_will_miss_is_a_warning() {
    Problems problems = new Problems("m");
    String text =
        ScxmlWriter.write(
            machine(
                Machine.Mode.STRICT,
                State.named("a")
                    .transition(
                        new Transition(
                            new Trigger.After(Operand.literal(Duration.ofMinutes(5)), null, false),
                            null,
                            List.of("b"),
                            false,
                            List.of(new Action.Emit("k", Payload.NONE)),
                            null))
                    .build(),
                State.named("b").build()),
            problems);
    assertThat(problems.list()).extracting(Problem::code).containsExactly("beyond-scxml");
    assertThat(problems.list().getFirst().message())
        .isEqualTo(
            "Expected only what SCXML can say, but 'm' has deadlines, emitted records, strict"
                + " mode.");
    // Without an event another engine would take the transition at once.
    assertThat(text).contains("event=\"signalbox.deadline\" sb:after=\"5m\"");
  }

  @Test
  void a_character_that_xml_does_not_have_is_a_warning() {
    Problems problems = new Problems("m");
    ScxmlWriter.write(
        machine(Machine.Mode.SCXML, State.named("a").note("\u0002").build()), problems);
    assertThat(problems.list()).extracting(Problem::code).containsExactly("xml-character");
  }
}
