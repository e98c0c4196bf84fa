package dev.signalbox.definition.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Snippets;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class YamlReaderTest {

  static Machine machine(String text) {
    Definition definition = YamlReader.read(new Source("test.yaml", text));
    assertThat(definition.problems()).isEmpty();
    return Objects.requireNonNull(definition.machine());
  }

  /** The state A of a machine that has it and B, C with the given keys of A. */
  private static State stateA(String mode, String keys) {
    String text =
        "machine: m\nmode: " + mode + "\nstates:\n  A:\n" + keys.indent(4) + "  B:\n  C: {}\n";
    return machine(text).root().children().getFirst();
  }

  private static Transition only(State state) {
    assertThat(state.transitions()).hasSize(1);
    return state.transitions().getFirst();
  }

  private static List<Action> entry(String actions) {
    State state = stateA("scxml", "entry:\n" + actions.indent(2));
    assertThat(state.entry()).hasSize(1);
    return state.entry().getFirst();
  }

  @Test
  void the_machine_of_the_document_is_read() {
    Machine run = machine(Snippets.of("docs/machines.md", "yaml").getFirst());

    assertThat(run.name()).isEqualTo("run");
    assertThat(run.version()).isEqualTo(1);
    assertThat(run.mode()).isEqualTo(Machine.Mode.STRICT);
    assertThat(run.description()).isEqualTo("A run that stops for a person.");
    assertThat(run.context().getFirst().type()).isEqualTo(Type.listOf(Type.STRING));
    assertThat(run.context().getFirst().initial()).isEqualTo(Operand.literal(List.of()));
    assertThat(run.context().get(1).type()).isEqualTo(Type.STRING);
    assertThat(run.events().getFirst().data())
        .isEqualTo(Type.object(Map.of("tools", Type.listOf(Type.STRING))));
    assertThat(run.events().getFirst().roles()).containsExactly("planner");
    assertThat(run.root().id()).isEqualTo(Machine.ROOT);
    assertThat(run.root().initial()).isEqualTo(Transition.to("PLANNING"));
    assertThat(run.root().children())
        .extracting(State::id)
        .containsExactly("PLANNING", "EXECUTING", "COMPLETE", "HALTED_UNSAFE");

    State planning = run.root().children().getFirst();
    assertThat(planning.transitions().getFirst().trigger())
        .isEqualTo(new Trigger.After(Operand.literal(Duration.ofMinutes(5)), null, false));
    Transition ready = planning.transitions().get(1);
    assertThat(ready.trigger()).isEqualTo(Trigger.on("plan_ready"));
    assertThat(ready.targets()).containsExactly("EXECUTING");
    assertThat(Objects.requireNonNull(ready.guard()).condition().text())
        .isEqualTo("size(event.tools) > 0");
    assertThat(ready.actions())
        .containsExactly(new Action.Assign("tools_remaining", Operand.expr("event.tools")));
    assertThat(run.root().children().get(1).transitions().getFirst().trigger())
        .isEqualTo(new Trigger.After(Operand.literal(Duration.ofMinutes(30)), null, true));
    assertThat(run.root().children().get(2).kind()).isEqualTo(State.Kind.FINAL);
    assertThat(run.invariants())
        .containsExactly(
            new Invariant.Before(
                "planned-before-complete",
                Severity.FATAL,
                new Fact.Enters("COMPLETE"),
                new Fact.Enters("EXECUTING")));
  }

  @Test
  void a_list_under_an_event_is_several_transitions() {
    State state = stateA("strict", "on: { go: [{ to: B, when: ctx.x > 1 }, C] }");
    assertThat(state.transitions())
        .extracting(Transition::targets)
        .containsExactly(List.of("B"), List.of("C"));
  }

  @Test
  void an_event_may_be_several_descriptors() {
    assertThat(only(stateA("strict", "on: { 'a.* b  c': B }")).trigger())
        .isEqualTo(Trigger.on("a.*", "b", "c"));
  }

  @Test
  void keys_that_look_like_numbers_or_truth_values_are_names() {
    Machine machine =
        machine("machine: m\nstates:\n  30:\n    on: { true: '5m', 1: '30' }\n  5m:\n  null:\n");
    assertThat(machine.root().children()).extracting(State::id).containsExactly("30", "5m", "null");
    assertThat(machine.root().children().getFirst().transitions())
        .containsExactly(Transition.on("true", "5m"), Transition.on("1", "30"));
  }

  @Test
  void a_timer_may_have_a_name_and_a_computed_time() {
    assertThat(only(stateA("strict", "after: { deadline: { in: ctx.limit_ms, to: B } }")).trigger())
        .isEqualTo(new Trigger.After(Operand.expr("ctx.limit_ms"), "deadline", false));
    assertThat(only(stateA("strict", "after: { deadline: { in: 1500, to: B } }")).trigger())
        .isEqualTo(new Trigger.After(Operand.literal(Duration.ofMillis(1500)), "deadline", false));
  }

  @Test
  void transitions_keep_the_order_of_their_keys() {
    State state =
        stateA("strict", "always: { to: B, when: ctx.x }\nafter: { 1s: C }\non: { go: B }");
    assertThat(state.transitions())
        .extracting(t -> t.trigger().text())
        .containsExactly("", "after 1s", "go");
  }

  @Test
  void transitions_of_all_kinds_may_stand_in_one_list() {
    State state =
        stateA(
            "strict",
            """
            transitions:
              - { on: go, to: B }
              - { to: C, when: ctx.x }
              - { on: go stop, to: C }
              - { after: 5s, to: B, clock: cumulative }
              - { after: ctx.ms, event: late, to: B }
            """);
    assertThat(state.transitions())
        .extracting(Transition::trigger)
        .containsExactly(
            Trigger.on("go"),
            new Trigger.Always(),
            Trigger.on("go", "stop"),
            new Trigger.After(Operand.literal(Duration.ofSeconds(5)), null, true),
            new Trigger.After(Operand.expr("ctx.ms"), "late", false));
  }

  @Test
  void assign_comes_first_then_emit_then_do() {
    Transition transition =
        only(
            stateA(
                "strict",
                """
                on:
                  go:
                    do: [{ raise: next }]
                    emit: [one, { record: two, data: { a: 1 } }]
                    assign: { x: ctx.y + 1, z: 5 }
                """));
    assertThat(transition.targets()).isEmpty();
    assertThat(transition.actions())
        .containsExactly(
            new Action.Assign("x", Operand.expr("ctx.y + 1")),
            new Action.Assign("z", Operand.literal(5L)),
            new Action.Emit("one", Payload.NONE),
            new Action.Emit(
                "two", new Payload(List.of(Payload.Param.of("a", Operand.literal(1L))), null)),
            new Action.Raise(Operand.literal("next"), Payload.NONE));
  }

  @Test
  void a_value_is_an_expression_when_it_is_a_text() {
    List<Action> actions =
        entry(
            """
            - assign:
                a: ctx.b
                b: 1
                c: 1.5
                d: true
                e: [x, 1, { y: null }]
                f: { value: text }
                g: { expr: "[1, 2]" }
                h: null
                i: "true"
                j: { value: { expr: x } }
            """);
    assertThat(actions)
        .extracting(a -> ((Action.Assign) a).value())
        .containsExactly(
            Operand.expr("ctx.b"),
            Operand.literal(1L),
            Operand.literal(1.5),
            Operand.literal(true),
            Operand.literal(List.of("x", 1L, java.util.Collections.singletonMap("y", null))),
            Operand.literal("text"),
            Operand.expr("[1, 2]"),
            Operand.literal(null),
            Operand.expr("true"),
            Operand.literal(Map.of("expr", "x")));
  }

  @Test
  void the_addresses_of_a_send_are_those_of_scxml() {
    List<Action> actions =
        entry(
            """
            - send: { event: a }
            - send: { event: a, to: self }
            - send: { event: a, to: parent, after: 5m }
            - send: { event: a, to: { child: worker } }
            - send: { event: a, to: { instance: ctx.other } }
            - send: { event: a, to: "#_internal" }
            - send: { event: a, to: { expr: ctx.address } }
            - send: { event: { expr: ctx.name }, id: s1, after: { expr: ctx.delay }, data: { content: 5 } }
            """);
    assertThat(actions)
        .extracting(a -> ((Action.Send) a).target())
        .containsExactly(
            null,
            null,
            Operand.literal("#_parent"),
            Operand.literal("#_worker"),
            Operand.expr("'#_scxml_' + (ctx.other)"),
            Operand.literal("#_internal"),
            Operand.expr("ctx.address"),
            null);
    assertThat(actions.get(7))
        .isEqualTo(
            new Action.Send(
                Operand.expr("ctx.name"),
                null,
                null,
                "s1",
                null,
                Operand.expr("ctx.delay"),
                new Payload(List.of(), Operand.literal(5L))));
  }

  @Test
  void every_action_is_read() {
    List<Action> actions =
        entry(
            """
            - raise: { event: e, data: { x: ctx.x } }
            - cancel: s1
            - emit: kind
            - perform: { effect: lint, with: { file: ctx.file } }
            - perform: { effect: lint, reply: done, idempotent: true }
            - log: ctx.x
            - log: { label: here, value: ctx.x }
            - if: ctx.x > 1
              then: [{ raise: a }]
              elif: [{ if: true, then: [{ raise: b }] }]
              else: [{ raise: c }]
            - foreach: { in: ctx.list, item: i, index: n, do: [{ log: i }] }
            """);
    Payload x = new Payload(List.of(Payload.Param.of("x", Operand.expr("ctx.x"))), null);
    Payload file = new Payload(List.of(Payload.Param.of("file", Operand.expr("ctx.file"))), null);
    assertThat(actions)
        .containsExactly(
            new Action.Raise(Operand.literal("e"), x),
            new Action.Cancel(Operand.literal("s1")),
            new Action.Emit("kind", Payload.NONE),
            new Action.Perform("lint", "lint", false, file),
            new Action.Perform("lint", "done", true, Payload.NONE),
            new Action.Log(null, Operand.expr("ctx.x")),
            new Action.Log("here", Operand.expr("ctx.x")),
            new Action.If(
                List.of(
                    new Action.Branch(Operand.expr("ctx.x > 1"), List.of(raise("a"))),
                    new Action.Branch(Operand.expr("true"), List.of(raise("b")))),
                List.of(raise("c"))),
            new Action.Foreach(
                Operand.expr("ctx.list"),
                "i",
                "n",
                List.of(new Action.Log(null, Operand.expr("i")))));
  }

  private static Action raise(String event) {
    return new Action.Raise(Operand.literal(event), Payload.NONE);
  }

  @Test
  void a_list_of_lists_is_several_blocks() {
    State state = stateA("strict", "entry: [[{ raise: a }], [{ raise: b }]]\nexit: [{ raise: c }]");
    assertThat(state.entry()).containsExactly(List.of(raise("a")), List.of(raise("b")));
    assertThat(state.exit()).containsExactly(List.of(raise("c")));
  }

  @Test
  void several_documents_are_several_machines() {
    List<Definition> all =
        YamlReader.readAll(
            new Source("t", "machine: a\nstates: { A: }\n---\nmachine: b\nstates: { B: }\n"));
    assertThat(all)
        .extracting(d -> Objects.requireNonNull(d.machine()).name())
        .containsExactly("a", "b");
    assertThat(all.get(1).places().of(Objects.requireNonNull(all.get(1).machine()).root()))
        .isEqualTo(new Place(4, 1));
  }

  @Test
  void the_place_of_an_expression_is_that_of_its_first_character() {
    String text =
        """
        machine: m
        states:
          A:
            on:
              plain: { to: A, when: ctx.a }
              quoted: { to: A, when: 'ctx.b' }
              double: { to: A, when: "ctx.c" }
              block:
                to: A
                when: |
                  ctx.d
              emoji: { label: "\ud83d\ude00", when: ctx.e }
        """;
    Definition definition = YamlReader.read(new Source("t", text));
    List<String> lines = text.lines().toList();
    Machine machine = Objects.requireNonNull(definition.machine());
    for (Transition transition : machine.root().children().getFirst().transitions()) {
      Operand.Expr condition = Objects.requireNonNull(transition.guard()).condition();
      Place place = definition.places().of(condition);
      assertThat(lines.get(place.line() - 1).substring(place.column() - 1))
          .startsWith(condition.text().strip());
    }
  }
}
