package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("ready", Type.BOOL),
              Workbench.field("count", Type.INT),
              Workbench.field("limit", Type.INT),
              Workbench.field("mode", Type.STRING),
              Workbench.field("tools", Type.listOf(Type.STRING)),
              new Field("email", Type.STRING, null, true, false),
              Workbench.field("person", Type.ANY))
          .with("ready", false)
          .with("count", 3L)
          .with("limit", 5L)
          .with("mode", "auto")
          .with("tools", List.of("lint", "test"))
          .with("email", "kim@example.org")
          .with("person", Map.of("email", "kim@example.org"));

  private String why(String text) {
    assertThat(bench.test(text)).as(text).isFalse();
    return bench.explain(text);
  }

  @Test
  void the_first_false_part_of_a_conjunction_is_named() {
    Workbench here = bench.event(Map.of("tools", List.of()));
    assertThat(here.explain("size(event.tools) > 0 && ctx.ready"))
        .isEqualTo("size(event.tools) is 0; expected > 0");
    assertThat(why("ctx.count == 3 && ctx.ready && ctx.limit == 1"))
        .isEqualTo("ctx.ready is false");
  }

  @Test
  void a_map_is_told_in_the_order_of_its_keys_however_it_was_made() {
    Map<String, Object> backwards = new java.util.LinkedHashMap<>();
    backwards.put("b", 2L);
    backwards.put("a", 1L);
    assertThat(bench.with("person", backwards).explain("ctx.person == {'a': 2}"))
        .startsWith("ctx.person is {'a': 1, 'b': 2}");
  }

  @Test
  void a_part_that_fails_is_passed_over() {
    assertThat(why("1 / 0 == 1 && ctx.ready")).isEqualTo("ctx.ready is false");
  }

  @Test
  void a_comparison_tells_what_it_saw_and_what_it_wanted() {
    assertThat(why("ctx.count >= 4")).isEqualTo("ctx.count is 3; expected >= 4");
    assertThat(why("4 < ctx.count")).isEqualTo("ctx.count is 3; expected > 4");
    assertThat(why("ctx.mode == 'manual'")).isEqualTo("ctx.mode is 'auto'; expected 'manual'");
    assertThat(why("ctx.mode != 'auto'")).isEqualTo("ctx.mode is 'auto'; expected != 'auto'");
    assertThat(why("ctx.count > ctx.limit"))
        .isEqualTo("ctx.count is 3 and ctx.limit is 5; expected ctx.count > ctx.limit");
    assertThat(why("!(ctx.count < 4)")).isEqualTo("ctx.count is 3; expected >= 4");
    assertThat(why("!(ctx.count == 3)")).isEqualTo("ctx.count is 3; expected != 3");
  }

  @Test
  void every_alternative_gets_its_reason() {
    assertThat(why("ctx.ready || ctx.count > 4"))
        .isEqualTo("ctx.ready is false, and ctx.count is 3; expected > 4");
    assertThat(why("!(ctx.count > 9 || ctx.mode == 'auto')"))
        .isEqualTo("ctx.mode is 'auto'; expected != 'auto'");
  }

  @Test
  void membership_tells_both_sides() {
    assertThat(why("ctx.mode in ['manual', 'off']"))
        .isEqualTo("ctx.mode is 'auto'; expected one of ['manual', 'off']");
    assertThat(why("'fmt' in ctx.tools"))
        .isEqualTo("'fmt' is not in ctx.tools, which is ['lint', 'test']");
    assertThat(why("!(ctx.mode in ['auto'])"))
        .isEqualTo("ctx.mode is 'auto'; expected none of ['auto']");
    Actor kim = new Actor(Actor.Kind.USER, "kim", List.of("reader"));
    assertThat(bench.at(Event.external("go", null, kim)).explain("'boss' in actor.roles"))
        .isEqualTo("'boss' is not in actor.roles, which is ['reader']");
  }

  @Test
  void presence_is_told() {
    assertThat(bench.event(Map.of()).explain("has(event.tools)"))
        .isEqualTo("event.tools is absent");
    assertThat(why("!has(ctx.mode)")).isEqualTo("ctx.mode is present");
    assertThat(bench.with("mode", dev.signalbox.kernel.Context.ABSENT).explain("has(ctx.mode)"))
        .isEqualTo("ctx.mode is absent");
  }

  @Test
  void texts_are_told() {
    assertThat(why("ctx.mode.startsWith('m')"))
        .isEqualTo("ctx.mode is 'auto'; expected to start with 'm'");
    assertThat(why("ctx.mode.endsWith('m')"))
        .isEqualTo("ctx.mode is 'auto'; expected to end with 'm'");
    assertThat(why("ctx.mode.contains('m')"))
        .isEqualTo("ctx.mode is 'auto'; expected to contain 'm'");
    assertThat(why("ctx.mode.matches('^m')"))
        .isEqualTo("ctx.mode is 'auto'; expected to match '^m'");
  }

  @Test
  void states_are_told() {
    assertThat(why("In('BUSY')")).isEqualTo("state BUSY is not active");
    assertThat(why("!In('IDLE')")).isEqualTo("state IDLE is active");
  }

  @Test
  void loops_name_the_item() {
    assertThat(why("ctx.tools.all(t, t == 'lint')"))
        .isEqualTo("t == 'lint' is false for 'test' in ctx.tools");
    assertThat(why("ctx.tools.exists(t, t == 'fmt')"))
        .isEqualTo("t == 'fmt' is false for every item of ctx.tools, which is ['lint', 'test']");
    assertThat(why("ctx.tools.exists_one(t, size(t) == 4)"))
        .isEqualTo("size(t) == 4 is true for 2 items of ctx.tools; expected one");
  }

  @Test
  void the_branch_that_was_taken_is_explained() {
    assertThat(why("ctx.count > 4 ? ctx.count < 9 : ctx.ready")).isEqualTo("ctx.ready is false");
  }

  @Test
  void long_values_are_clipped() {
    String why = bench.with("mode", "x".repeat(500)).explain("ctx.mode == 'a'");
    assertThat(why).hasSizeLessThan(100).contains("…");
  }

  @Test
  void what_is_always_false_is_called_that() {
    assertThat(why("false")).isEqualTo("it is always false");
  }

  @Test
  void what_only_cel_can_evaluate_is_quoted() {
    assertThat(why("uint(1) > uint(2)")).isEqualTo("uint(1) > uint(2) is false");
    assertThat(why("uint(1) < 2u && ctx.ready")).isEqualTo("ctx.ready is false");
  }

  @Test
  void personal_values_are_never_shown() {
    assertThat(why("ctx.email == 'lee@example.org'"))
        .isEqualTo("ctx.email is «personal»; expected 'lee@example.org'");
    assertThat(why("size(ctx.email) > 100"))
        .isEqualTo("size(ctx.email) is «personal»; expected > 100");
    assertThat(why("ctx.person == {}"))
        .isEqualTo("ctx.person is {'email': «personal»}; expected {}");
    assertThat(why("ctx.person.email == ''"))
        .isEqualTo("ctx.person.email is «personal»; expected ''");
    assertThat(bench.event(Map.of("email", "x@y.org")).explain("event.email == ctx.mode"))
        .isEqualTo(
            "event.email is «personal» and ctx.mode is 'auto'; expected event.email == ctx.mode");
    assertThat(why("[ctx.email].all(e, e == '')")).doesNotContain("kim");
    assertThat(why("[ctx].all(e, e == {})")).doesNotContain("kim");
  }
}
