package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultsTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("ratio", Type.DOUBLE),
              Workbench.field("prices", Type.listOf(Type.DOUBLE)),
              Workbench.field("scores", Type.mapOf(Type.DOUBLE)),
              Workbench.field("anything", Type.ANY))
          .with("ratio", 3L)
          .with("prices", List.of(1L, 2.5))
          .with("scores", Map.of("a", 2L));

  @Test
  void a_double_without_a_fraction_is_an_integer_once_it_is_a_result() {
    assertThat(bench.eval("1.5 + 1.5")).isEqualTo(3L);
    assertThat(bench.eval("0.5 + 0.25")).isEqualTo(0.75);
    assertThat(bench.eval("[2.0, {'a': 4.0}]")).isEqualTo(List.of(2L, Map.of("a", 4L)));
    assertThat(bench.eval("1e300")).isEqualTo(1e300);
    assertThat(bench.eval("-0.0")).isEqualTo(0L);
  }

  @Test
  void what_is_declared_a_double_is_one_even_when_json_wrote_an_integer() {
    assertThat(bench.eval("ctx.ratio + 0.5")).isEqualTo(3.5);
    assertThat(bench.eval("ctx.ratio / 2.0")).isEqualTo(1.5);
    assertThat(bench.eval("ctx.prices[0] + 0.5")).isEqualTo(1.5);
    assertThat(bench.eval("ctx.prices.map(p, p * 0.5)")).isEqualTo(List.of(0.5, 1.25));
    assertThat(bench.eval("ctx.scores.a + ctx.scores['a'] + 0.25")).isEqualTo(4.25);
    Workbench typed =
        bench.declaring(
            new EventType("go", null, Type.object(Map.of("x", Type.DOUBLE)), List.of()));
    var expression =
        typed.compile("event.x + 0.5", dev.signalbox.kernel.ExpressionCompiler.Use.VALUE, "go");
    assertThat(expression.evaluate(typed.event(Map.of("x", 1L)).scope())).isEqualTo(1.5);
  }

  @Test
  void what_json_can_not_say_is_no_result() {
    for (String text : List.of("1.0 / 0.0", "[0.0 / 0.0]", "{1: 2}")) {
      assertThatExceptionOfType(EvaluationException.class).isThrownBy(() -> bench.eval(text));
    }
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("1.0 / 0.0"))
        .withMessage("Expected a finite number, but it is Infinity.");
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("{1: 2}"))
        .withMessage("Expected a map with strings as keys, but one key is an int.");
  }

  @Test
  void times_become_milliseconds() {
    assertThat(bench.eval("duration('1m30s')")).isEqualTo(90_000L);
    assertThat(bench.eval("timestamp('1970-01-01T00:00:01.500Z')")).isEqualTo(1_500L);
    assertThat(bench.eval("timestamp('2024-03-05T00:00:00Z') - timestamp('2024-03-04T00:00:00Z')"))
        .isEqualTo(86_400_000L);
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("duration('1ns')"))
        .withMessage("Expected whole milliseconds, but the duration has a finer fraction.");
  }

  @Test
  void durations_may_be_negative_and_have_a_fraction() {
    assertThat(bench.eval("string(duration('-1.5s') + duration('250ms'))")).isEqualTo("-1.250s");
    assertThat(bench.eval("duration('-90061.5s').getSeconds()")).isEqualTo(-90_061L);
    assertThat(bench.eval("duration('-90061.5s').getMilliseconds()")).isEqualTo(-500L);
    assertThat(bench.eval("string(duration('1us')) + string(duration('0'))"))
        .isEqualTo("0.000001s0s");
  }

  @Test
  void a_time_zone_is_an_offset() {
    String noon = "timestamp('2024-03-05T12:00:00Z')";
    assertThat(bench.eval(noon + ".getHours('UTC')")).isEqualTo(12L);
    assertThat(bench.eval(noon + ".getHours('+02:00')")).isEqualTo(14L);
    assertThat(bench.eval(noon + ".getHours('02:00')")).isEqualTo(14L);
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval(noon + ".getHours('Europe/Berlin')"))
        .withMessage(
            "Expected 'UTC' or an offset such as '+02:00' for `getHours`, but its time zone is"
                + " neither.");
  }

  @Test
  void a_wrong_time_written_out_is_a_fault_of_the_text() {
    assertThat(bench.fault("duration('5 minutes') > duration('1s')"))
        .isEqualTo(
            "Expected `'5 minutes'` to be the text of a duration such as '1h30m', but it is not."
                + " @ 9");
    assertThat(bench.fault("timestamp('yesterday') > timestamp(0)"))
        .isEqualTo(
            "Expected `'yesterday'` to be the text of a timestamp such as"
                + " '2024-02-29T12:00:00Z', but it is not. @ 10");
    assertThat(bench.fault("timestamp(now) > timestamp(0)")).isEqualTo("none");
    assertThat(bench.fault("timestamp(99999999999999) > timestamp(0)"))
        .isEqualTo(
            "Expected `timestamp(99999999999999)` to be within CEL's range, but it is not. @ 10");
    assertThat(bench.fault("timestamp(0) + timestamp(1) > timestamp(0)"))
        .startsWith("Expected times and durations that fit for `+`");
    assertThat(bench.fault("timestamp(0) > 1"))
        .startsWith("Expected two numbers or two strings for `>`");
  }

  @Test
  void maps_are_walked_in_the_order_of_their_keys() {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("b", 1L);
    one.put("a", 2L);
    one.put("c", 3L);
    assertThat(bench.with("anything", one).eval("ctx.anything.map(k, k)"))
        .isEqualTo(List.of("a", "b", "c"));
    assertThat(bench.eval("{'b': 1, 'a': 2}.filter(k, true)")).isEqualTo(List.of("a", "b"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "1 / 0                   | Expected `1 / 0` to have a value, but the divisor is zero.",
        "9223372036854775807 + 1 | Expected `9223372036854775807 + 1` to fit into 64 bits, but it"
            + " does not.",
        "int(1e19)               | Expected `int(1.0E19)` to fit into 64 bits, but it does not.",
        "int('x')                | Expected `'x'` to be the text of an int, but it is not.",
        "double('x')             | Expected `'x'` to be the text of a number, but it is not.",
        "bool('x')               | Expected `'x'` to be the text of a bool, but it is not.",
        "[1][3]                  | Expected `[1]` to have an item 3, but it has 1.",
        "{'a': 1}.b              | Expected `{'a': 1}.b` to have a value, but there is no such"
            + " field.",
        "{'a': 1}['b']           | Expected `{'a': 1}['b']` to have a value, but there is no such"
            + " key.",
        "{'a': 1, 'a': 2}        | Expected each key of a map once, but one comes twice.",
        "dyn(1).x                | Expected `1` to be a map with the field `x`, but it is an int.",
        "dyn('a') < 1            | Expected two numbers or two strings for `'a' < 1`, but they are"
            + " a string and an int.",
        "dyn(1) + 'a'            | Expected two ints, two doubles, two strings or two lists for"
            + " `1 + 'a'`, but they are an int and a string.",
        "dyn(1).startsWith('a')  | Expected two strings for `1.startsWith('a')`, but they are an"
            + " int and a string.",
        "size(dyn(1))            | Expected `1` to be a list, a map or a string, but it is an"
            + " int.",
        "1 in dyn(1)             | Expected `1` to be a list or a map, but it is an int.",
        "dyn(1).all(x, true)     | Expected `1` to be a list or a map, but it is an int.",
        "!dyn(1)                 | Expected a condition, but it is an int.",
        "-dyn('a')               | Expected `'a'` to be a number, but it is a string.",
        "{dyn(1.5): 1}           | Expected a string, an int or a bool as the key of a map, but it"
            + " is a double."
      })
  void what_fails_says_why(String text, String message) {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval(text.strip()))
        .withMessage(message);
  }
}
