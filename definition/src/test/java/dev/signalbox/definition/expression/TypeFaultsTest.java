package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TypeFaultsTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("tools_remaining", Type.listOf(Type.STRING)),
              Workbench.field("count", Type.INT),
              Workbench.field("ratio", Type.DOUBLE),
              Workbench.field("name", Type.STRING),
              Workbench.field("note", Type.STRING.orAbsent()),
              Workbench.field("mode", Type.STRING.oneOf(List.of("auto", "manual"))),
              Workbench.field("limits", Type.object(Map.of("retries", Type.INT))),
              Workbench.field("scores", Type.mapOf(Type.DOUBLE)),
              Workbench.field("ready", Type.BOOL),
              Workbench.field("anything", Type.ANY))
          .declaring(
              event("go", Map.of("tools", Type.listOf(Type.STRING), "score", Type.DOUBLE)),
              event("stop", Map.of("reason", Type.STRING, "score", Type.INT)),
              new EventType("open", null, null, List.of()));

  private static EventType event(String name, Map<String, Type> fields) {
    return new EventType(name, null, Type.object(fields), List.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ctx.count == 1 && ctx.ratio == 1 && ctx.ratio > 1 && 1 < ctx.ratio",
        "ctx.note == null || ctx.note == 'x' || size(ctx.note) > 3",
        "ctx.anything == 1 || ctx.anything.x || ctx.anything[0] == 'a' || ctx.anything > 2",
        "ctx.tools_remaining == [] || ctx.tools_remaining[0] == 'lint'",
        "ctx.mode == 'auto' || ctx.mode in ['manual'] || ctx.mode.startsWith('x')",
        "ctx.limits.retries < 3 && ctx.limits['retries'] > 1 && has(ctx.limits.retries)",
        "ctx.scores.math > 1.5 && ctx.scores.all(k, ctx.scores[k] + 0.5 < 2.0)",
        "event.tools.exists(t, t == 'a') && event.score + 0.5 > 1.0",
        "(ctx.ready ? 1 : 'a') == 1",
        "{'a': 1, 'b': 'x'}.a == 1 && {1: 'x'}[1] == 'x'",
        "[1, 'a', null].exists(x, x == 'a')",
        "(ctx.tools_remaining + []).size() == 0 && ([] + [1])[0] == 1",
        "timestamp('2024-01-01T00:00:00Z') + duration('1h') > timestamp(0)",
        "string(ctx.count) + string(true) + string(1.5) != ''",
        "int(ctx.name) + int(ctx.ratio) > 2 && bool(ctx.name) && double(ctx.count) > 0.5",
        "actor.kind == 'user' && 'x' in actor.roles && actor.name != ''",
        "now - 5 > 0 && id != '' && In('BUSY')",
        "dyn(ctx.name) == 1"
      })
  void what_fits_passes(String text) {
    assertThat(bench.fault(text, "go")).isEqualTo("none");
  }

  @Test
  void names_must_be_known() {
    assertThat(bench.fault("ctx.tools_remaning == []"))
        .isEqualTo(
            "Expected a declared field, but `ctx.tools_remaning` is none."
                + " Did you mean `ctx.tools_remaining`? @ 4");
    assertThat(bench.fault("size(tools_remaining) == 0"))
        .isEqualTo(
            "Expected a known name, but `tools_remaining` is none."
                + " Did you mean `ctx.tools_remaining`? @ 5");
    assertThat(bench.fault("_event.name == ''"))
        .isEqualTo("Expected a known name, but `_event` is none. Did you mean `event`? @ 0");
    assertThat(bench.fault("evnt.x == 1"))
        .isEqualTo("Expected a known name, but `evnt` is none. Did you mean `event`? @ 0");
    assertThat(bench.fault("BUSY"))
        .isEqualTo("Expected a known name, but `BUSY` is none. Did you mean `In('BUSY')`? @ 0");
    assertThat(bench.local("item", 1L).fault("ctx.item == 1"))
        .isEqualTo("Expected a declared field, but `ctx.item` is none. @ 4");
  }

  @Test
  void functions_must_be_known() {
    assertThat(bench.fault("ctx.name.startWith('x')"))
        .isEqualTo(
            "Expected a function of CEL, but `startWith` is none."
                + " Did you mean `startsWith`? @ 9");
  }

  @Test
  void fields_of_objects_must_be_declared() {
    assertThat(bench.fault("ctx.limits.retrys > 1"))
        .isEqualTo(
            "Expected a declared field, but `ctx.limits.retrys` is none."
                + " Did you mean `ctx.limits.retries`? @ 11");
    assertThat(bench.fault("has(ctx.limits.other)"))
        .isEqualTo("Expected a declared field, but `ctx.limits.other` is none. @ 15");
    assertThat(bench.fault("actor.nme == ''"))
        .isEqualTo(
            "Expected a declared field, but `actor.nme` is none."
                + " Did you mean `actor.name`? @ 6");
    assertThat(bench.fault("ctx.count.x == 1"))
        .isEqualTo("Expected `ctx.count` to have fields, but it is an int. @ 10");
  }

  @Test
  void fields_of_events_must_be_declared_when_the_events_are() {
    assertThat(bench.fault("event.tols == []", "go"))
        .isEqualTo(
            "Expected a declared field of event `go`, but `event.tols` is none."
                + " Did you mean `event.tools`? @ 6");
    assertThat(bench.fault("event.tols == []", "go", "stop.*"))
        .startsWith("Expected a declared field of event `go` or `stop.*`, but");
    assertThat(bench.fault("event.tols == []", "go", "open")).isEqualTo("none");
    assertThat(bench.fault("event.tols == []", "*")).isEqualTo("none");
    assertThat(bench.fault("event.tols == []")).isEqualTo("none");
  }

  @Test
  void one_of_several_events_may_carry_the_field() {
    assertThat(bench.fault("event.reason == 'x' && size(event.tools) > 0", "go", "stop"))
        .isEqualTo("none");
    assertThat(bench.fault("event.reason == 1", "go", "stop"))
        .startsWith("Expected two values of one type for `==`");
    assertThat(bench.fault("event.score == 'a'", "go", "stop")).isEqualTo("none");
  }

  @Test
  void both_sides_of_a_comparison_are_of_one_type() {
    assertThat(bench.fault("ctx.name == 1"))
        .isEqualTo(
            "Expected two values of one type for `==`, but `ctx.name` is a string and `1` is"
                + " an int. @ 9");
    assertThat(bench.fault("ctx.name < 1"))
        .isEqualTo(
            "Expected two numbers or two strings for `<`, but `ctx.name` is a string and `1` is"
                + " an int. @ 9");
    assertThat(bench.fault("ctx.tools_remaining > 0"))
        .endsWith(
            "but `ctx.tools_remaining` is a list and `0` is an int."
                + " Write `size(ctx.tools_remaining)`. @ 20");
    assertThat(bench.fault("ctx.tools_remaining == [1]"))
        .startsWith("Expected two values of one type for `==`");
  }

  @Test
  void null_is_compared_only_with_what_may_be_null() {
    assertThat(bench.fault("ctx.name == null"))
        .isEqualTo(
            "Expected something that may be null, but `ctx.name` is a string and never null."
                + " Write `has(ctx.name)`, or declare it `optional: true`. @ 12");
    assertThat(bench.fault("null != size(ctx.name)"))
        .isEqualTo(
            "Expected something that may be null, but `size(ctx.name)` is an int and never"
                + " null. @ 0");
  }

  @Test
  void a_field_has_only_its_values() {
    assertThat(bench.fault("ctx.mode == 'Auto'"))
        .isEqualTo(
            "Expected one of 'auto', 'manual', but `ctx.mode` is never 'Auto'."
                + " Did you mean `'auto'`? @ 12");
    assertThat(bench.fault("ctx.mode in ['auto', 'x']"))
        .isEqualTo("Expected one of 'auto', 'manual', but `ctx.mode` is never 'x'. @ 21");
    assertThat(bench.fault("actor.kind == 'human'"))
        .isEqualTo(
            "Expected one of 'user', 'agent', 'system', 'timer', but `actor.kind` is never"
                + " 'human'. @ 14");
  }

  @Test
  void conditions_are_bools() {
    assertThat(bench.fault("ctx.count"))
        .isEqualTo("Expected a condition, but `ctx.count` is an int. @ 4");
    assertThat(bench.fault("ctx.ready && ctx.count"))
        .isEqualTo("Expected a condition for `&&`, but `ctx.count` is an int. @ 17");
    assertThat(bench.fault("!ctx.name"))
        .isEqualTo("Expected a condition for `!`, but `ctx.name` is a string. @ 5");
    assertThat(bench.fault("ctx.count ? true : false"))
        .isEqualTo("Expected a condition for `?`, but `ctx.count` is an int. @ 4");
    assertThat(bench.fault("ctx.tools_remaining.all(x, x)"))
        .isEqualTo("Expected a condition for `all`, but `x` is a string. @ 27");
    assertThat(bench.fault("ctx.count", Use.VALUE)).isEqualTo("none");
  }

  @Test
  void arithmetic_needs_numbers_of_one_type() {
    assertThat(bench.fault("ctx.ratio * 2 > 1.0"))
        .isEqualTo(
            "Expected two ints or two doubles for `*`, but `ctx.ratio` is a double and `2` is an"
                + " int. Write `2.0`. @ 10");
    assertThat(bench.fault("ctx.ratio - ctx.count > 1.0"))
        .endsWith("Write `double(ctx.count)`. @ 10");
    assertThat(bench.fault("5 % 2.0 == 1"))
        .isEqualTo("Expected two ints for `%`, but `5` is an int and `2.0` is a double. @ 2");
    assertThat(bench.fault("-ctx.name == 1"))
        .isEqualTo("Expected a number for `-`, but `ctx.name` is a string. @ 5");
    assertThat(bench.fault("ctx.anything * 'a' == 1"))
        .startsWith("Expected two ints or two doubles for `*`");
  }

  @Test
  void only_like_things_are_added() {
    assertThat(bench.fault("ctx.name + 1 == ''"))
        .isEqualTo(
            "Expected two ints, two doubles, two strings or two lists for `+`, but `ctx.name` is"
                + " a string and `1` is an int. Write `string(1)`. @ 9");
    assertThat(bench.fault("1 + ctx.name == ''")).endsWith("Write `string(1)`. @ 2");
    assertThat(bench.fault("ctx.tools_remaining + 'x' == []"))
        .endsWith("Write `['x']` to add one item. @ 20");
  }

  @Test
  void membership_is_asked_of_lists_and_maps() {
    assertThat(bench.fault("'a' in ctx.count"))
        .isEqualTo("Expected a list or a map after `in`, but `ctx.count` is an int. @ 11");
    assertThat(bench.fault("1 in ctx.tools_remaining"))
        .isEqualTo("Expected a string before `in`, as in the list, but `1` is an int. @ 2");
  }

  @Test
  void indexes_fit_what_they_index() {
    assertThat(bench.fault("ctx.tools_remaining['a'] == ''"))
        .isEqualTo("Expected an int to index a list, but `'a'` is a string. @ 20");
    assertThat(bench.fault("ctx.count[0] == 1"))
        .isEqualTo("Expected `ctx.count` to be a list or a map, but it is an int. @ 9");
    assertThat(bench.fault("ctx.limits['x'] == 1"))
        .isEqualTo("Expected a declared field, but `ctx.limits.x` is none. @ 11");
  }

  @Test
  void macros_walk_lists_and_maps() {
    assertThat(bench.fault("ctx.count.all(x, true)"))
        .isEqualTo("Expected a list or a map before `.all`, but `ctx.count` is an int. @ 4");
    assertThat(bench.fault("ctx.tools_remaining.exists(x, x > 1)"))
        .startsWith("Expected two numbers or two strings for `>`, but `x` is a string");
  }

  @Test
  void functions_take_what_they_are_for() {
    assertThat(bench.fault("size(ctx.count) == 1"))
        .isEqualTo("Expected a list, a map or a string for `size`, but `ctx.count` is an int. @ 9");
    assertThat(bench.fault("ctx.name.contains(1)"))
        .isEqualTo(
            "Expected two strings for `contains`, but `ctx.name` is a string and `1` is an int."
                + " @ 9");
    assertThat(bench.fault("int(true) == 1"))
        .isEqualTo("Expected a number or a string for `int`, but `true` is a bool. @ 4");
    assertThat(bench.fault("bool(1)"))
        .isEqualTo("Expected a bool or a string for `bool`, but `1` is an int. @ 5");
    assertThat(bench.fault("string([]) == ''"))
        .startsWith("Expected a string, a number or a bool for `string`");
    assertThat(bench.fault("{1.5: 2} == {}"))
        .isEqualTo("Expected a string as the key of a map, but `1.5` is a double. @ 1");
  }

  @Test
  void patterns_are_checked_and_bounded() {
    assertThat(bench.fault("ctx.name.matches('(')"))
        .isEqualTo("Expected a pattern of RE2 for matches(), but: missing closing ). @ 17");
    assertThat(bench.fault("ctx.name.matches('((a{1000}){1000})')"))
        .isEqualTo(
            "Expected a smaller pattern for matches(), but it is too long or repeats too much."
                + " @ 17");
    assertThat(bench.fault("ctx.name.matches('^[a-z]{1,63}([.][a-z]{1,63}){1,5}$')"))
        .isEqualTo("none");
    assertThat(bench.fault("type(1) == int && 'a'.matches(ctx.name)"))
        .isEqualTo("Expected a string written out as the pattern, but here it is computed. @ 34");
  }

  @Test
  void states_must_exist() {
    assertThat(bench.fault("In('BUZY')"))
        .isEqualTo("Expected a state of the machine, but `BUZY` is none. Did you mean `BUSY`? @ 3");
    assertThat(bench.fault("In(1)"))
        .isEqualTo("Expected the name of a state for `In`, but `1` is an int. @ 3");
  }

  @Test
  void the_type_of_a_value_is_known_where_it_can_be() throws SyntaxException {
    CelExpressions expressions = CelExpressions.of(bench.machine());
    assertThat(expressions.type(Operand.expr("ctx.count + 1"), bench.site(Use.VALUE)))
        .isEqualTo(Type.INT);
    assertThat(expressions.type(Operand.expr("event.tools"), bench.site(Use.VALUE, "go")))
        .isEqualTo(Type.listOf(Type.STRING));
    assertThat(expressions.type(Operand.expr("event.tools"), bench.site(Use.VALUE)))
        .isEqualTo(Type.ANY);
    assertThat(expressions.type(Operand.expr("[1].map(x, x > 0)"), bench.site(Use.VALUE)))
        .isEqualTo(Type.listOf(Type.BOOL));
  }
}
