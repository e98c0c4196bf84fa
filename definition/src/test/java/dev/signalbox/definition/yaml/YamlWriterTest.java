package dev.signalbox.definition.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.RandomMachines;
import dev.signalbox.definition.Snippets;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
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

class YamlWriterTest {

  @Provide
  Arbitrary<Machine> machines() {
    return RandomMachines.any();
  }

  @Property(tries = 1_000)
  void what_is_written_is_read_as_the_same_machine(@ForAll("machines") Machine machine) {
    Problems problems = new Problems("m");
    String text = YamlWriter.write(machine, problems);
    assertThat(problems.list()).as(text).isEmpty();
    assertThat(YamlReaderTest.machine(text)).isEqualTo(machine);
    assertThat(YamlWriter.write(machine, new Problems("m"))).isEqualTo(text);
  }

  @Test
  void the_machine_of_the_document_is_written_as_a_person_would() {
    Machine run = YamlReaderTest.machine(Snippets.of("docs/machines.md", "yaml").getFirst());
    assertThat(YamlWriter.write(run, new Problems("run")))
        .isEqualTo(
            """
            machine: run
            description: A run that stops for a person.
            context:
              tools_remaining: { type: list, items: string, default: [] }
              project_id: string
            events:
              plan_ready: { data: { tools: { type: list, items: string } }, roles: [planner] }
            initial: PLANNING
            states:
              PLANNING:
                after: { 5m: HALTED_UNSAFE }
                on:
                  plan_ready:
                    to: EXECUTING
                    when: size(event.tools) > 0
                    assign: { tools_remaining: event.tools }
                  critical_risk: HALTED_UNSAFE
              EXECUTING:
                after:
                  30m: { clock: cumulative, to: HALTED_UNSAFE }
                on:
                  all_tools_passed: { to: COMPLETE, when: size(ctx.tools_remaining) == 0 }
              COMPLETE: { final: true }
              HALTED_UNSAFE: { final: true }
            invariants:
              - { name: planned-before-complete, before: { reaching: COMPLETE, must_visit: EXECUTING } }
            """);
  }

  private static List<Problem> problemsOf(State.Builder state) {
    State root = State.named(Machine.ROOT).child(state.build()).build();
    Machine machine =
        new Machine(
            "m",
            1,
            Machine.Mode.STRICT,
            null,
            List.of(),
            List.of(),
            root,
            List.of(),
            dev.signalbox.kernel.machine.Limits.DEFAULT);
    Problems problems = new Problems("m");
    YamlWriter.write(machine, problems);
    return problems.list();
  }

  @Test
  void what_yaml_cannot_say_is_a_problem() {
    assertThat(problemsOf(State.named("A"))).isEmpty();
    assertThat(problemsOf(State.named("a b")))
        .extracting(Problem::code)
        .containsExactly("not-writable");
    assertThat(
            problemsOf(
                State.named("A")
                    .transition(Transition.to("A").when(null))
                    .transition(
                        new Transition(
                            new Trigger.After(Operand.literal(Duration.ofNanos(1)), null, false),
                            null,
                            List.of("A"),
                            false,
                            List.of(),
                            null))))
        .extracting(Problem::code)
        .containsExactly("not-writable");
    assertThat(
            problemsOf(
                State.named("A")
                    .onEntry(List.of(new Action.Assign("a", Operand.literal(Double.NaN))))))
        .extracting(Problem::code)
        .containsExactly("not-writable");
    assertThat(problemsOf(State.named("A").transition(Transition.on("a b", "A"))))
        .extracting(Problem::code)
        .containsExactly("not-writable");
    assertThat(problemsOf(State.named("A").onEntry(List.of(new Action.If(List.of(), List.of())))))
        .extracting(Problem::code)
        .containsExactly("not-writable");
  }

  @Test
  void what_an_invariant_claims_is_one_line_without_its_name() {
    Machine machine =
        MachineReader.read(
            new Source(
                "m.yaml",
                """
                machine: m
                context: { n: { type: int, default: 1 } }
                states:
                  A: { waits: for somebody, on: { go: B } }
                  B: { final: true }
                invariants:
                  - { name: a-first, before: { reaching: B, must_visit: A } }
                  - name: positive
                    always: >-
                      ctx.n > 0
                      && ctx.n < 9
                    in: A
                  - { name: not-back, never: B -> A }
                """));
    assertThat(machine.invariants())
        .extracting(YamlWriter::claim)
        .containsExactly(
            "before: { reaching: B, must_visit: A }",
            "always: ctx.n > 0 && ctx.n < 9, in: A",
            "never: B -> A");
  }
}
