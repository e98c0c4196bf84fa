package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AbstractExpressionTest {
  private final Workbench concrete =
      Workbench.strict(
              Workbench.field("known", Type.ANY),
              Workbench.field("hidden", Type.ANY),
              Workbench.field("partly", Type.ANY),
              Workbench.field("absent", Type.ANY))
          .with("known", List.of(1L, 2L))
          .with("hidden", Unknown.VALUE)
          .with("partly", List.of(1L, Unknown.VALUE));
  private final Workbench bench = concrete.by(CelExpressions.of(concrete.machine()).abstractly());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ctx.hidden",
        "ctx.hidden + 1",
        "ctx.hidden == 1",
        "ctx.hidden.x.y",
        "size(ctx.hidden)",
        "has(ctx.hidden)",
        "has(ctx.hidden.x)",
        "ctx.hidden in [1]",
        "1 in ctx.hidden",
        "ctx.hidden ? 1 : 2",
        "!ctx.hidden",
        "ctx.hidden && true",
        "ctx.hidden || false",
        "ctx.hidden && 1 / 0 == 1",
        "[1][ctx.hidden]",
        "ctx.hidden.all(x, x > 0)",
        "ctx.partly.all(x, x > 0)",
        "ctx.partly.exists_one(x, x == 1)",
        "ctx.partly.filter(x, x == 1)",
        "ctx.partly == [1, 2]",
        "ctx.partly[1]",
        "2 in ctx.partly",
        "string(ctx.hidden)",
        "uint(ctx.hidden)",
        "{ctx.hidden: 1}",
        "ctx",
        "now",
        "id"
      })
  void what_depends_on_the_unknown_is_unknown(String text) {
    assertThat(bench.eval(text)).isEqualTo(Unknown.VALUE);
  }

  @Test
  void what_does_not_depend_on_the_unknown_is_known() {
    assertThat(bench.eval("ctx.hidden && false")).isEqualTo(false);
    assertThat(bench.eval("false && ctx.hidden.x > 1")).isEqualTo(false);
    assertThat(bench.eval("ctx.hidden > 1 || true")).isEqualTo(true);
    assertThat(bench.eval("size(ctx.partly)")).isEqualTo(2L);
    assertThat(bench.eval("1 in ctx.partly")).isEqualTo(true);
    assertThat(bench.eval("ctx.partly == [2, 2]")).isEqualTo(false);
    assertThat(bench.eval("ctx.partly == [1]")).isEqualTo(false);
    assertThat(bench.eval("ctx.partly.exists(x, x == 1)")).isEqualTo(true);
    assertThat(bench.eval("ctx.partly.all(x, x > 1)")).isEqualTo(false);
    assertThat(bench.eval("ctx.hidden ? 'a' : 'a'")).isEqualTo("a");
    assertThat(bench.eval("ctx.known[0] + 1")).isEqualTo(2L);
    assertThat(bench.eval("In('IDLE')")).isEqualTo(true);
  }

  @Test
  void values_may_have_unknown_parts() {
    assertThat(bench.eval("ctx.known + [ctx.hidden]")).isEqualTo(List.of(1L, 2L, Unknown.VALUE));
    assertThat(bench.eval("{'a': ctx.partly}")).isEqualTo(Map.of("a", List.of(1L, Unknown.VALUE)));
    assertThat(bench.eval("ctx.partly.map(x, x)")).isEqualTo(List.of(1L, Unknown.VALUE));
  }

  @Test
  void a_condition_that_may_fail_is_unknown() {
    assertThat(bench.compile("size([ctx.hidden.x]) == 1", Use.CONDITION).evaluate(bench.scope()))
        .isEqualTo(Unknown.VALUE);
    assertThat(bench.compile("size(ctx.partly) == 2", Use.CONDITION).evaluate(bench.scope()))
        .isEqualTo(true);
  }

  @Test
  void a_value_tells_whether_it_may_fail() {
    assertThat(mayFail("[ctx.hidden.x]")).isTrue();
    assertThat(mayFail("ctx.partly")).isFalse();
    assertThat(mayFail("false && ctx.hidden.x")).isFalse();
    assertThat(mayFail("1 / 0")).isTrue();
  }

  private boolean mayFail(String text) {
    return ((AbstractExpression) bench.compile(text, Use.VALUE)).mayFail(bench.scope());
  }

  @Test
  void what_fails_for_all_values_fails() {
    for (String text : List.of("1 / 0", "ctx.absent", "[ctx.hidden][2]", "ctx.known.x")) {
      assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> bench.eval(text));
    }
  }

  @Test
  void what_nobody_gave_about_an_event_is_unknown() {
    Workbench here = bench.event(null);
    assertThat(here.eval("event.x")).isEqualTo(Unknown.VALUE);
    assertThat(here.eval("actor.name == 'kim'")).isEqualTo(Unknown.VALUE);
    assertThat(bench.event(Unknown.VALUE).eval("event.x")).isEqualTo(Unknown.VALUE);
  }

  @Test
  void what_was_given_about_an_event_is_known() {
    Actor kim = new Actor(Actor.Kind.USER, "kim", List.of());
    Workbench here = bench.at(Event.external("go", Map.of("x", 1L, "y", Unknown.VALUE), kim));
    assertThat(here.eval("event.x + 1")).isEqualTo(2L);
    assertThat(here.eval("has(event.y) && !has(event.z)")).isEqualTo(true);
    assertThat(here.eval("event.y > 1")).isEqualTo(Unknown.VALUE);
    assertThat(here.eval("actor.name == 'kim'")).isEqualTo(true);
    assertThat(bench.at(Event.internal("go", null)).eval("has(event.x)")).isEqualTo(false);
    assertThat(bench.eval("has(event.x)")).isEqualTo(false);
  }

  @Test
  void an_scxml_event_has_its_name_and_unknown_rest() {
    Workbench plain = Workbench.scxml("Var1");
    Workbench here = plain.by(CelExpressions.of(plain.machine()).abstractly()).event(null);
    assertThat(here.eval("_event.name")).isEqualTo("go");
    assertThat(here.eval("_event.data.x")).isEqualTo(Unknown.VALUE);
    assertThat(here.eval("_event.origin == null")).isEqualTo(Unknown.VALUE);
    assertThat(plain.by(CelExpressions.of(plain.machine()).abstractly()).eval("_event")).isNull();
  }

  @Test
  void a_test_of_the_unknown_is_no_answer() {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.test("ctx.hidden == 1"));
  }

  @Test
  void the_interpreter_is_asked_only_about_the_known() {
    assertThat(bench.eval("type(ctx.known) == list")).isEqualTo(true);
    assertThat(bench.eval("type(ctx.partly) == list")).isEqualTo(Unknown.VALUE);
    assertThat(bench.eval("type(now) == int")).isEqualTo(Unknown.VALUE);
  }
}
