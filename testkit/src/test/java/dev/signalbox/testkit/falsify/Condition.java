package dev.signalbox.testkit.falsify;

import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A condition over the context, run by CEL's own interpreter and not by what ships. */
final class Condition {
  private static final CelOptions OPTIONS =
      CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
  private static final CelParser PARSER =
      CelParserFactory.standardCelParserBuilder()
          .setOptions(OPTIONS)
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .build();
  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).build();

  private final CelRuntime.Program program;

  private Condition(CelRuntime.Program program) {
    this.program = program;
  }

  /** The condition, or null when it asks for more than the context. */
  static @Nullable Condition of(String text) {
    if (text.contains("In(") || text.contains("event") || text.contains("now")) {
      return null;
    }
    try {
      return new Condition(RUNTIME.createProgram(PARSER.parse(text).getAst()));
    } catch (CelValidationException | CelEvaluationException e) {
      return null;
    }
  }

  /** Whether it holds; what has no value does not. */
  boolean holds(Map<String, @Nullable Object> context) {
    try {
      return Boolean.TRUE.equals(program.eval(Map.of("ctx", context)));
    } catch (CelEvaluationException e) {
      return false;
    }
  }
}
