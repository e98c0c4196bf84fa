package dev.signalbox.definition.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import dev.signalbox.kernel.ExpressionCompiler.Use;
import dev.signalbox.kernel.Scope;
import java.util.Map;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

class ClosuresAgreeWithCelTest {

  /** An expression with values for the fields it may mention. */
  record Case(String text, Map<String, @Nullable Object> values) {}

  @Provide
  Arbitrary<Case> cases() {
    return Arbitraries.randomValue(random -> {
      RandomExpressions expressions = new RandomExpressions(random);
      String text = random.nextBoolean() ? expressions.condition(3) : expressions.any(4);
      return new Case(text, expressions.values());
    });
  }

  @Property(tries = 2_000)
  void closures_and_cel_give_the_same_value_or_both_fail(@ForAll("cases") Case it)
      throws SyntaxException {
    Workbench bench = Workbench.scxml(RandomExpressions.FIELDS.toArray(String[]::new));
    for (Map.Entry<String, @Nullable Object> entry : it.values().entrySet()) {
      bench = bench.with(entry.getKey(), entry.getValue());
    }
    Scope scope = bench.scope();
    Declarations declared = Declarations.of(bench.machine());
    Names names = new Names(declared, bench.site(Use.VALUE));
    Node node = NodeReader.read(it.text(), names);
    Code interpreter = CelInterpreter.of(it.text(), node, declared, bench.site(Use.VALUE));

    Object expected = outcome(() -> Values.json(interpreter.eval(scope, null)));
    Expression closure = bench.compile(it.text(), Use.VALUE);
    Object actual = outcome(() -> closure.evaluate(scope));
    if (actual == Failed.NO_VALUE && expected != actual) {
      // The one known fault of CEL's interpreter, for which it is not used.
      assertThatExceptionOfType(SyntaxException.class).isThrownBy(() -> CelInterpreter.check(node));
      return;
    }
    assertThat(actual).isEqualTo(expected);
    if (expected instanceof Boolean) {
      assertThat(closure.test(scope)).isEqualTo(expected);
    }
  }

  private static @Nullable Object outcome(Supplier<@Nullable Object> evaluation) {
    try {
      return evaluation.get();
    } catch (EvaluationException e) {
      return Failed.NO_VALUE;
    }
  }

  private enum Failed {
    NO_VALUE
  }
}
