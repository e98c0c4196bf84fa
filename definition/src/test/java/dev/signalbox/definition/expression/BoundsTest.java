package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler.Site;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundsTest {
  private final Workbench bench =
      Workbench.strict(
              Workbench.field("list", Type.LIST),
              Workbench.field("big", Type.STRING),
              Workbench.field("pattern", Type.STRING))
          .with("list", LongStream.range(0, 1_000).boxed().toList())
          .with("big", "x".repeat(1_000_000))
          .with("pattern", "(".repeat(200) + ")".repeat(200));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ctx.list.map(a, ctx.list.map(b, ctx.list.map(c, a + b + c)))",
        "ctx.list.all(a, ctx.list.all(b, ctx.list.all(c, true)))",
        "ctx.list.exists(a, ctx.list.exists(b, ctx.list.exists(c, false)))",
        "ctx.list.exists_one(a, ctx.list.exists_one(b, ctx.list.exists_one(c, false)))",
        "ctx.list.filter(a, ctx.list == ctx.list + [a])",
        "ctx.list.map(a, ctx.big + ctx.big)",
        "ctx.list.map(a, ctx.big == ctx.big + '')",
        "ctx.list.map(a, ctx.big.contains('y'))",
        "ctx.list.map(a, ctx.big.matches('y'))",
        "ctx.list.map(a, size(ctx.big))",
        "ctx.list.map(a, -1 in ctx.list + ctx.list + ctx.list)"
      })
  void work_is_bounded(String text) {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval(text))
        .withMessage("Expected an expression that ends within a million steps, but it does not.");
  }

  @Test
  void many_large_operands_side_by_side_are_bounded_too() {
    String sums = String.join(", ", Collections.nCopies(400, "ctx.big + ctx.big"));
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.eval("[" + sums + "]"));
  }

  @Test
  void ordinary_work_is_not_stopped() {
    assertThat(bench.eval("ctx.list.map(a, a * 2).filter(a, a % 3 == 0).size()")).isEqualTo(334L);
    assertThat(bench.test("ctx.list.all(a, a in ctx.list)")).isTrue();
  }

  @Test
  void values_do_not_grow_deeper_without_end() {
    List<?> value = List.of();
    for (int i = 0; i < 198; i++) {
      value = List.of(value);
    }
    assertThat(bench.with("list", value).eval("[ctx.list]")).isEqualTo(List.of(value));
    value = List.of(value);
    Workbench deep = bench.with("list", value);
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> deep.eval("[ctx.list]"))
        .withMessage("Expected a value of at most 200 levels, but this one goes deeper.");
  }

  @Test
  void values_from_outside_may_be_too_deep_to_compare() {
    List<?> one = List.of();
    List<?> other = List.of();
    for (int i = 0; i < 500_000; i++) {
      one = List.of(one);
      other = List.of(other);
    }
    Workbench deep = bench.with("list", one).event(Map.of("list", other));
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> deep.test("ctx.list == event.list"))
        .withMessage("Expected values of few levels, but one goes too deep.");
  }

  @Test
  void patterns_that_are_computed_are_bounded_too() {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.test("'a'.matches(ctx.pattern)"))
        .withMessage(
            "Expected a smaller pattern for matches(), but it is too long or repeats too much.");
    assertThat(bench.with("pattern", "^a+$").test("'aaa'.matches(ctx.pattern)")).isTrue();
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> bench.with("pattern", "[").test("'a'.matches(ctx.pattern)"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(a{1000}){1000}",
        "((a{100}){100}){100}",
        "(a{500}b{500}){20}",
        "[ab]{1000}{1000}",
        "(\\w{200}){200}"
      })
  void patterns_that_repeat_too_much_are_refused(String pattern) {
    assertThatExceptionOfType(EvaluationException.class)
        .isThrownBy(() -> SafePattern.compile(pattern));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "^[a-z]{1,63}([.][a-z]{1,63}){1,5}$",
        "^\\d{4}-\\d{2}-\\d{2}$",
        "a{1000}",
        "[]a]{3}|\\{x\\}",
        "x{,3}{",
        "(?i)(foo|bar)*"
      })
  void ordinary_patterns_are_compiled(String pattern) {
    assertThat(SafePattern.compile(pattern)).isNotNull();
  }

  @Provide
  Arbitrary<String> junk() {
    Arbitrary<String> tokens =
        Arbitraries.of(
                "ctx.list",
                "ctx.big",
                "event",
                ".x",
                "[",
                "]",
                "(",
                ")",
                "{",
                "}",
                ",",
                ":",
                "?",
                "+",
                "-",
                "*",
                "/",
                "%",
                "<",
                ">",
                "==",
                "!=",
                "!",
                "&&",
                "||",
                "in",
                "1",
                "0",
                "2.5",
                "'a'",
                "\"",
                "'",
                "null",
                "true",
                "size",
                "has",
                ".all(x,",
                "x",
                "timestamp",
                "duration",
                "matches",
                "1u",
                "b'a'",
                "type",
                "\\",
                "😀",
                "\u0000",
                " ",
                "//")
            .list()
            .ofMaxSize(30)
            .map(list -> String.join("", list));
    return Arbitraries.oneOf(tokens, Arbitraries.strings().ofMaxLength(60));
  }

  @Property(tries = 1_000)
  void any_text_is_an_expression_or_refused_in_words(@ForAll("junk") String text) {
    for (Workbench at : List.of(bench, Workbench.scxml("list", "big"))) {
      Site site = at.site(Use.VALUE);
      Expression expression;
      try {
        expression = CelExpressions.of(at.machine()).compile(Operand.expr(text), site);
      } catch (SyntaxException e) {
        assertThat(e.getMessage()).startsWith("Expected ").endsWith(endOf(e));
        assertThat(e.offset()).isBetween(-1, text.length());
        continue;
      }
      try {
        expression.evaluate(at.scope());
      } catch (EvaluationException e) {
        assertThat(e.getMessage()).startsWith("Expected ");
      }
      assertThat(expression.explain(at.scope())).isNotEmpty();
    }
  }

  private static String endOf(SyntaxException e) {
    return String.valueOf(e.getMessage()).endsWith("?") ? "?" : ".";
  }
}
