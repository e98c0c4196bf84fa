package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

class AbstractIsSoundTest {
  private static final Workbench BENCH =
      Workbench.scxml(RandomExpressions.FIELDS.toArray(String[]::new));
  private static final ExpressionCompiler ABSTRACTLY =
      CelExpressions.of(BENCH.machine()).abstractly();

  /** An expression, and values of which the second set has parts that are not known. */
  record Case(
      String text, Map<String, @Nullable Object> values, Map<String, @Nullable Object> blurred) {}

  @Provide
  Arbitrary<Case> cases() {
    return Arbitraries.randomValue(random -> {
      RandomExpressions expressions = new RandomExpressions(random);
      String text = random.nextBoolean() ? expressions.condition(3) : expressions.any(3);
      Map<String, @Nullable Object> values = expressions.values();
      Map<String, @Nullable Object> blurred = new LinkedHashMap<>();
      values.forEach((name, value) -> blurred.put(name, blur(value, random)));
      if (!values.containsKey("z") && random.nextBoolean()) {
        blurred.put("z", Unknown.VALUE);
      }
      return new Case(text, values, blurred);
    });
  }

  private static @Nullable Object blur(@Nullable Object value, Random random) {
    if (random.nextInt(5) == 0) {
      return Unknown.VALUE;
    }
    return switch (value) {
      case List<?> list -> {
        List<@Nullable Object> copy = new ArrayList<>();
        list.forEach(item -> copy.add(blur(item, random)));
        yield copy;
      }
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, item) -> copy.put(key, blur(item, random)));
        yield copy;
      }
      case null, default -> value;
    };
  }

  @Property(tries = 1_000)
  void with_everything_known_it_agrees_with_the_closures(@ForAll("cases") Case it) {
    Workbench bench = with(it.values());
    Object expected = outcome(bench, bench.compile(it.text(), Use.VALUE));
    Workbench abstractly = bench.by(ABSTRACTLY);
    assertThat(outcome(abstractly, abstractly.compile(it.text(), Use.VALUE))).isEqualTo(expected);
  }

  @Property(tries = 2_000)
  void what_it_knows_holds_whatever_the_unknown_is(@ForAll("cases") Case it) {
    Workbench bench = with(it.values());
    Workbench abstractly = with(it.blurred()).by(ABSTRACTLY);
    for (Use use : Use.values()) {
      Object actual = outcome(bench, bench.compile(it.text(), use));
      Expression blurred = abstractly.compile(it.text(), use);
      Object known = outcome(abstractly, blurred);
      boolean mayFail = ((AbstractExpression) blurred).mayFail(abstractly.scope());
      boolean fits =
          fits(known, actual) || (use == Use.VALUE && mayFail && actual == Failed.NO_VALUE);
      assertThat(fits).as("%s gives %s, abstractly %s", it, actual, known).isTrue();
      assertThat(actual != Failed.NO_VALUE || mayFail).as("%s fails", it).isTrue();
    }
  }

  /** Whether the value is one of those that the abstract one stands for. */
  private static boolean fits(@Nullable Object known, @Nullable Object actual) {
    if (known == Unknown.VALUE) {
      return true;
    }
    if (known instanceof List<?> x && actual instanceof List<?> y && x.size() == y.size()) {
      for (int i = 0; i < x.size(); i++) {
        if (!fits(x.get(i), y.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (known instanceof Map<?, ?> x && actual instanceof Map<?, ?> y) {
      return x.keySet().equals(y.keySet())
          && x.entrySet().stream().allMatch(e -> fits(e.getValue(), y.get(e.getKey())));
    }
    return known == null ? actual == null : known.equals(actual);
  }

  private static Workbench with(Map<String, @Nullable Object> values) {
    Workbench bench = BENCH;
    for (Map.Entry<String, @Nullable Object> entry : values.entrySet()) {
      bench = bench.with(entry.getKey(), entry.getValue());
    }
    return bench;
  }

  private static @Nullable Object outcome(Workbench bench, Expression expression) {
    try {
      return expression.evaluate(bench.scope());
    } catch (EvaluationException e) {
      return Failed.NO_VALUE;
    }
  }

  private enum Failed {
    NO_VALUE
  }
}
