package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.machine.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What only CEL's interpreter covers: unsigned numbers, bytes and types as values. */
class InterpretedTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("count", Type.INT),
              Workbench.field("ratio", Type.DOUBLE),
              Workbench.field("anything", Type.ANY))
          .with("count", 3L)
          .with("ratio", 2L)
          .with("anything", List.of(1L));

  @Test
  void it_sees_the_same_names() {
    Workbench here = bench.event(Map.of("n", 4L)).local("item", "x");
    assertThat(here.eval("uint(ctx.count) + uint(event.n)")).isEqualTo(7L);
    assertThat(here.test("type(item) == string && type(now) == int && type(id) == string"))
        .isTrue();
    assertThat(here.test("type(ctx.anything) == list && In('IDLE')")).isTrue();
    assertThat(here.test("type(ctx.count) == string || has(event.other)")).isFalse();
    assertThat(here.test("type(actor) == map")).isTrue();
  }

  @Test
  void a_double_is_one_even_when_json_wrote_an_integer() {
    assertThat(bench.test("type(ctx.ratio) == double")).isTrue();
  }

  @Test
  void null_is_known_to_it() {
    Map<String, Object> data = new HashMap<>();
    data.put("x", null);
    assertThat(bench.event(data).test("type(event.x) == null_type")).isTrue();
    assertThat(bench.event(data).eval("[event.x, type(1) == int]"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .containsExactly(null, true);
  }

  @Test
  void what_json_does_not_know_is_refused() {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("bytes('a')"))
        .withMessage("Expected a JSON value, but it is of type bytes. Convert it with string().");
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("type(1)"))
        .withMessage("Expected a JSON value, but it is a type itself.");
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("18446744073709551615u"))
        .withMessage("Expected a number of 63 bits, but the uint is larger.");
    assertThat(bench.eval("string(bytes('a')) + string(2u)")).isEqualTo("a2");
  }

  @Test
  void its_failures_are_ours_and_quote_no_values() {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("uint(ctx.count) / 0u"))
        .withMessage("Expected a value, but CEL's interpreter found none: divide by zero.");
  }

  @Test
  void a_condition_whose_failure_it_would_lose_is_refused() {
    assertThat(bench.fault("[type(1) == int || ctx.count > 2] == []"))
        .startsWith("Expected no condition as a value beside uint(), bytes() or type(), but here")
        .endsWith("@ 16");
    assertThat(bench.fault("(type(1) == int && ctx.count > 2) == true")).contains("no condition");
    assertThat(bench.fault("type(1) == int && [1].exists(x, x > 0)")).isEqualTo("none");
  }
}
