package dev.signalbox.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.signalbox.definition.yaml.YamlReader;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MachineBuilderTest {

  private static Machine yaml(String text) {
    Definition definition = YamlReader.read(new Source("m", text));
    assertThat(definition.problems()).isEmpty();
    return java.util.Objects.requireNonNull(definition.machine());
  }

  @Test
  void the_machine_of_the_document_can_be_built() {
    Machine built =
        MachineBuilder.machine("run")
            .description("A run that stops for a person.")
            .context("tools_remaining", Type.listOf(Type.STRING), List.of())
            .context("project_id", Type.STRING)
            .event("plan_ready", Type.object(Map.of("tools", Type.listOf(Type.STRING))), "planner")
            .initial("PLANNING")
            .state(
                "PLANNING",
                s ->
                    s.after(Duration.ofMinutes(5), "HALTED_UNSAFE")
                        .on(
                            "plan_ready",
                            t ->
                                t.to("EXECUTING")
                                    .when("size(event.tools) > 0")
                                    .assign("tools_remaining", "event.tools"))
                        .on("critical_risk", "HALTED_UNSAFE"))
            .state(
                "EXECUTING",
                s ->
                    s.afterInAll(Duration.ofMinutes(30), t -> t.to("HALTED_UNSAFE"))
                        .on(
                            "all_tools_passed",
                            t -> t.to("COMPLETE").when("size(ctx.tools_remaining) == 0")))
            .finalState("COMPLETE")
            .finalState("HALTED_UNSAFE")
            .before("planned-before-complete", "COMPLETE", "EXECUTING")
            .build();
    assertThat(built).isEqualTo(yaml(Snippets.of("docs/machines.md", "yaml").getFirst()));
  }

  @Test
  void everything_else_can_be_built_too() {
    Map<String, String> data = new LinkedHashMap<>();
    data.put("file", "ctx.file");
    Payload file = Literals.payload(data);
    Machine built =
        MachineBuilder.machine("m")
            .version(3)
            .context("n", Type.INT, 5)
            .computed("k", Type.DOUBLE, "1.5 * 2.0")
            .everywhere(s -> s.on("stop", "END"))
            .state(
                "WORK",
                s ->
                    s.parallel()
                        .note("Two at once.")
                        .tools("lint")
                        .waits("for the tools")
                        .invoke("child", "worker", file)
                        .state("L", l -> l.state("L1").history("LH", true, "L1").initial("L1"))
                        .state("R", r -> r.state("R1").finalState("R2", file)))
            .state(
                "TALK",
                s ->
                    s.entry(a ->
                            a.set("n", Map.of("x", 1))
                                .raise("now")
                                .sendLater("later", "l1", Duration.ofSeconds(5))
                                .sendToParent("up", Payload.NONE)
                                .sendToChild("child", "down", file)
                                .perform("lint", file)
                                .performIdempotent("mail", Payload.NONE)
                                .forEach("i", "ctx.list", b -> b.log("i")))
                        .exit(a ->
                            a.cancel("l1")
                                .when("ctx.n > 1", b -> b.emit("big"), b -> b.emit("small")))
                        .always(t -> t.to("WORK").when("is_big", "ctx.n > 9").label("grown"))
                        .after("late", "ctx.ms", t -> t.to("WORK").internal())
                        .on(
                            "a b",
                            t -> t.emit("seen").actions(a -> a.raise("c", file).emit("x", file))))
            .finalState("END")
            .never("WORK", "TALK")
            .always("small", "ctx.n < 100")
            .build();
    assertThat(built)
        .isEqualTo(
            yaml(
                """
                machine: m
                version: 3
                context:
                  n: { type: int, default: 5 }
                  k: { type: double, compute: 1.5 * 2.0 }
                on: { stop: END }
                states:
                  WORK:
                    parallel: true
                    note: Two at once.
                    tools: [lint]
                    waits: for the tools
                    invoke: { machine: worker, id: child, with: { file: ctx.file } }
                    states:
                      L:
                        initial: L1
                        states: { L1: {}, LH: { history: deep, default: L1 } }
                      R:
                        states: { R1: {}, R2: { final: true, done: { file: ctx.file } } }
                  TALK:
                    entry:
                      - assign: { n: { x: 1 } }
                      - raise: now
                      - send: { event: later, id: l1, after: 5s }
                      - send: { event: up, to: parent }
                      - send: { event: down, to: { child: child }, data: { file: ctx.file } }
                      - perform: { effect: lint, with: { file: ctx.file } }
                      - perform: { effect: mail, idempotent: true }
                      - foreach: { in: ctx.list, item: i, do: [{ log: i }] }
                    exit:
                      - cancel: l1
                      - { if: ctx.n > 1, then: [{ emit: big }], else: [{ emit: small }] }
                    always: { to: WORK, when: ctx.n > 9, guard: is_big, label: grown }
                    after: { late: { in: ctx.ms, to: WORK, internal: true } }
                    on:
                      a b:
                        emit: seen
                        do:
                          - raise: { event: c, data: { file: ctx.file } }
                          - emit: { record: x, data: { file: ctx.file } }
                  END: { final: true }
                invariants:
                  - { name: never-WORK-to-TALK, never: WORK -> TALK }
                  - { name: small, always: ctx.n < 100 }
                """));
  }

  @Test
  void what_is_not_json_is_refused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MachineBuilder.machine("m").context("a", Type.ANY, new Object()));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MachineBuilder.machine("m").context("a", Type.ANY, Double.NaN));
  }
}
