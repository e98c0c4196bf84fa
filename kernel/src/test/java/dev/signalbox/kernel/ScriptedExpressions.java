package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Operand;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Expressions for kernel tests: a handful of forms over whole numbers and the event's data. */
final class ScriptedExpressions implements ExpressionCompiler {

  @Override
  public Expression compile(Operand.Expr source, Site site) throws SyntaxException {
    String[] words = source.text().split(" ");
    if (words.length == 3) {
      Expression left = term(words[0], site);
      Expression right = term(words[2], site);
      return switch (words[1]) {
        case "==" -> scope -> number(left, scope) == number(right, scope);
        case "<" -> scope -> number(left, scope) < number(right, scope);
        case "+" -> scope -> number(left, scope) + number(right, scope);
        case "/" -> scope -> divide(number(left, scope), number(right, scope));
        default -> throw new SyntaxException("no operator " + words[1], 0);
      };
    }
    if (words.length != 1) {
      throw new SyntaxException("not an expression", 0);
    }
    return term(words[0], site);
  }

  private static Expression term(String word, Site site) throws SyntaxException {
    if (word.startsWith("In(")) {
      String state = word.substring(3, word.length() - 1);
      return scope -> scope.in(state);
    }
    if (word.equals("true") || word.equals("false")) {
      return _ -> word.equals("true");
    }
    if (word.matches("[0-9]+")) {
      return _ -> Long.parseLong(word);
    }
    if (word.startsWith("[")) {
      List<Long> items =
          Arrays.stream(word.substring(1, word.length() - 1).split(","))
              .map(Long::parseLong)
              .toList();
      return _ -> items;
    }
    if (word.startsWith("event.")) {
      String key = word.substring(6);
      return scope -> {
        if (scope.event() != null && scope.event().data() instanceof Map<?, ?> map) {
          return map.get(key);
        }
        throw new EvaluationException("no event data");
      };
    }
    int slot = site.layout().index(word);
    if (slot < 0) {
      throw new SyntaxException("no field " + word, 0);
    }
    return scope -> {
      Object value = scope.context().slot(slot);
      if (value == Context.ABSENT) {
        throw new EvaluationException("'" + word + "' has no value");
      }
      return value;
    };
  }

  private static long number(Expression term, Scope scope) {
    if (term.evaluate(scope) instanceof Long number) {
      return number;
    }
    throw new EvaluationException("not a number");
  }

  private static long divide(long a, long b) {
    if (b == 0) {
      throw new EvaluationException("division by zero");
    }
    return a / b;
  }
}
