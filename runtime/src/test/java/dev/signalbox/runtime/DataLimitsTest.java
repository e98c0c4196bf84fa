package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.EmptyKeys;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much data one event can make an instance have. */
@Timeout(60)
class DataLimitsTest extends SteppedFixture {
  private static final List<Long> MANY = IntStream.range(0, 40).mapToObj(i -> (long) i).toList();

  private static String machine(String mode, String action, String more) {
    return """
    machine: grower
    mode: %s
    context:
      x: { type: any, default: [1] }
      m: { type: any, default: { a: 1 } }
      s: { type: any, default: "0123456789" }
    states:
      A:
        waits: x
        on:
          grow: { do: [ { foreach: { in: EVENT.list, item: i, do: [ %s ] } } ] }
          once: { do: [ %s ] }
          shrink: { assign: { s: "''", x: "[]" } }
          %s
          leave: B
      B: { final: true }
    """
        .formatted(mode, action, action, more)
        .replace("EVENT", mode.equals("strict") ? "event" : "_event.data");
  }

  private void grower(String action) {
    publish(machine("strict", action, ""));
    start("grower", "g");
  }

  private Rejection grown() {
    return rejected(Command.Send.of("g", "grow", Map.of("list", MANY)));
  }

  private void refusesToGrow() {
    assertThat(grown().code()).isEqualTo(Rejection.Code.LIMIT_REACHED);
    assertThat(now("g").context()).containsEntry("x", List.of(1L));
    send("g", "leave", Map.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ assign: { x: '[ctx.x, ctx.x]' } }",
        "{ assign: { x: 'ctx.x + ctx.x' } }",
        "{ assign: { x: '{\"a\": ctx.x, \"b\": ctx.x}' } }",
        "{ assign: { x: '[1, 2].map(j, ctx.x)' } }",
        "{ assign: { x: '[1, 2].filter(j, type(j) == int).map(j, ctx.x)' } }",
        "{ assign: { s: 'ctx.s + ctx.s' } }",
        "{ assign: { s: 'ctx.s + ctx.s + string(uint(1))' } }",
        "{ assign: { m.a: '[ctx.m, ctx.m]' } }",
        "{ emit: { record: r, data: { a: 'ctx.s + ctx.s' } } }, { assign: { s: 'ctx.s + ctx.s' } }",
        "{ log: '[ctx.x, ctx.x]' }, { assign: { x: '[ctx.x, ctx.x]' } }",
      })
  void what_doubles_again_and_again_is_refused_while_it_is_made(String action) {
    grower(action);
    refusesToGrow();
  }

  @Test
  void a_value_that_nests_itself_is_refused_before_anyone_falls_through_it() {
    grower("{ assign: { m.a: ctx.m } }");
    for (int i = 0; i < 2; i++) {
      send("g", "grow", Map.of("list", MANY));
    }
    assertThat(grown().message()).contains("100 levels");
  }

  @Test
  void events_that_carry_one_another_are_refused() {
    publish(
        """
        machine: grower
        states:
          A:
            waits: x
            on:
              grow: { do: [ { raise: { event: again, data: { a: 1 } } } ] }
              again: { do: [ { raise: { event: again, data: { a: event, b: event } } } ] }
        """);
    start("grower", "g");
    assertThat(rejected(Command.Send.of("g", "grow", Map.of())).code())
        .isEqualTo(Rejection.Code.LIMIT_REACHED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ emit: { record: r, data: { a: 'ctx.s' } } }",
        "{ perform: { effect: e, with: { a: 'ctx.s' } } }",
        "{ send: { event: e, to: { instance: \"'other'\" }, data: { a: 'ctx.s' } } }",
        "{ send: { event: e, after: 1h, data: { a: 'ctx.s' } } }",
        "{ log: 'ctx.s' }",
      })
  void what_leaves_a_step_has_a_limit_of_its_own(String action) {
    publish(machine("strict", action, "set: { assign: { s: event.s } }"));
    start("grower", "g");
    send("g", "set", Map.of("s", "x".repeat(200_000)));
    send("g", "once", Map.of());
    assertThat(grown().code()).isEqualTo(Rejection.Code.LIMIT_REACHED);
  }

  @Test
  void timers_do_not_gather_more_data_than_a_context_may_have() {
    publish(
        machine(
            "strict",
            "{ send: { event: e, after: 1h, data: { a: 'ctx.s' } } }",
            "set: { assign: { s: event.s } }"));
    start("grower", "g");
    send("g", "set", Map.of("s", "x".repeat(200_000)));
    for (int i = 0; i < 20; i++) {
      send("g", "once", Map.of());
    }
    assertThat(rejected(Command.Send.of("g", "once", Map.of())).message())
        .contains("pending timers");
  }

  @Test
  void the_whole_context_has_a_limit_and_not_each_field() {
    publish(
        machine("strict", "{ log: 1 }", "set: { assign: { s: event.s, x: '[event.s, event.s]' } }")
            .replace("states:", "limits: { context_bytes: 100000 }\nstates:"));
    start("grower", "g");
    assertThat(rejected(Command.Send.of("g", "set", Map.of("s", "x".repeat(40_000)))).message())
        .contains("100,000 bytes of context");
    send("g", "set", Map.of("s", "x".repeat(30_000)));
    box = open();
    assertThat(rejected(Command.Send.of("g", "set", Map.of("s", "x".repeat(34_000)))).code())
        .isEqualTo(Rejection.Code.LIMIT_REACHED);
    send("g", "set", Map.of("s", "x".repeat(33_000)));
  }

  @Test
  void in_scxml_mode_the_step_is_refused_too() {
    publish(machine("scxml", "{ assign: { x: '[data.x, data.x]' } }", ""));
    start("grower", "g");
    assertThat(grown().code()).isEqualTo(Rejection.Code.LIMIT_REACHED);
    send("g", "leave", Map.of());
  }

  @Test
  void a_context_that_is_too_large_already_may_be_read_left_and_made_smaller() {
    String yaml =
        machine(
            "strict",
            "{ assign: { s: 'ctx.s + ctx.s' } }",
            "same: { assign: { s: ctx.s } }\n      more: { assign: { s: \"ctx.s + 'x'\" } }");
    publish(yaml);
    start("grower", "g");
    send("g", "grow", Map.of("list", MANY.subList(0, 16)));
    start("grower", "h");
    send("h", "grow", Map.of("list", MANY.subList(0, 16)));
    publish(yaml.replace("mode: strict", "version: 2\nlimits: { context_bytes: 100000 }"));
    accepted(new Command.Migrate("g", 2, Map.of(), ANN, null));
    accepted(new Command.Migrate("h", 2, Map.of(), ANN, null));
    box = open();
    assertThat(rejected(Command.Send.of("g", "more", Map.of())).code())
        .isEqualTo(Rejection.Code.LIMIT_REACHED);
    send("g", "same", Map.of());
    send("g", "shrink", Map.of());
    send("g", "more", Map.of());
    send("h", "leave", Map.of());
  }

  @Test
  void an_end_from_outside_comes_whatever_the_exit_actions_would_make() {
    publish(
        """
        machine: grower
        context: { x: { type: any, default: [1] }, list: { type: any, default: [] } }
        states:
          A:
            waits: x
            on: { set: { assign: { list: event.list } } }
            exit: [ { foreach: { in: ctx.list, item: i, do: [ { assign: { x: '[ctx.x, ctx.x]' } } ] } } ]
        """);
    start("grower", "g");
    send("g", "set", Map.of("list", MANY));
    accepted(new Command.Cancel("g", ANN, null, "enough"));
    assertThat(now("g").context()).containsEntry("x", List.of(1L));
  }

  @Test
  void sizes_are_not_asked_of_what_happened_before() {
    Machine machine =
        MachineReader.read(
            new Source(
                "test.yaml",
                machine("strict", "{ assign: { s: 'ctx.s + ctx.s' } }", "")
                    .replace("states:", "limits: { context_bytes: 1000 }\nstates:")));
    Chart chart = Chart.compile(machine, CelExpressions.of(machine));
    Step started = (Step) Kernel.start(chart, "g", null, Map.of(), 0);
    Event event = Event.external("grow", Map.of("list", MANY.subList(0, 10)));
    Answer now = Kernel.step(chart, started.after(), event, 1);
    assertThat(now).isInstanceOf(Rejection.class);
    assertThat(Kernel.step(chart, started.after(), event, 1, true, EmptyKeys.DISTINCT))
        .isInstanceOf(Step.class);
  }

  @Test
  void data_that_shares_its_parts_is_refused_at_the_door() {
    grower("{ log: 1 }");
    Object shared = "x";
    for (int i = 0; i < 60; i++) {
      shared = List.of(shared, shared);
    }
    assertThat(rejected(Command.Send.of("g", "grow", Map.of("list", shared))).code())
        .isEqualTo(Rejection.Code.TOO_LARGE);
    assertThat(rejected(new Command.Start("grower", "h", Map.of("x", shared), ANN, null)).code())
        .isEqualTo(Rejection.Code.TOO_LARGE);
    List<Object> deep = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      deep = new ArrayList<>(Collections.singletonList(deep));
    }
    assertThat(rejected(Command.Send.of("g", "grow", Map.of("list", deep))).code())
        .isEqualTo(Rejection.Code.BAD_DATA);
  }
}
