package dev.signalbox.definition.expression;

import dev.signalbox.definition.expression.Shape.Kind;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What functions and operators take, and the shape of what they give. */
final class Signatures {
  private Signatures() {}

  static Shape check(Node.Call call, List<Shape> shapes, Declarations declared)
      throws SyntaxException {
    Shape a = shapes.getFirst();
    Shape b = shapes.size() > 1 ? shapes.get(1) : Shape.ANY;
    return switch (call.function()) {
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> arithmetic(call, a, b);
      case NEGATE -> {
        one(call, a.isNumber(), a, "a number");
        yield a;
      }
      case EQUAL, NOT_EQUAL -> {
        equality(call, call.first(), a, call.second(), b);
        yield Shape.BOOL;
      }
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> {
        order(call, a, b);
        yield Shape.BOOL;
      }
      case IN -> {
        membership(call, a, b);
        yield Shape.BOOL;
      }
      case SIZE -> {
        one(call, a.isCollection() || a.is(Kind.STRING), a, "a list, a map or a string");
        yield Shape.INT;
      }
      case CONTAINS, STARTS_WITH, ENDS_WITH, MATCHES -> {
        if (!a.is(Kind.STRING) || !b.is(Kind.STRING)) {
          throw misfit(call, "two strings", a, b, "");
        }
        if (call.function() == Function.MATCHES) {
          pattern(call.second());
        }
        yield Shape.BOOL;
      }
      case INT -> {
        boolean fits = a.isNumber() || a.is(Kind.STRING) || a.is(Kind.TIMESTAMP);
        one(call, fits, a, "a number or a string");
        yield Shape.INT;
      }
      case DOUBLE -> {
        one(call, a.isNumber() || a.is(Kind.STRING), a, "a number or a string");
        yield Shape.DOUBLE;
      }
      case STRING -> {
        boolean fits = a.isNumber() || a.is(Kind.STRING) || a.is(Kind.BOOL) || isTime(a);
        one(call, fits, a, "a string, a number or a bool");
        yield Shape.STRING;
      }
      case BOOL -> {
        one(call, a.is(Kind.BOOL) || a.is(Kind.STRING), a, "a bool or a string");
        yield Shape.BOOL;
      }
      case DYN -> Shape.ANY;
      case IN_STATE -> {
        one(call, a.is(Kind.STRING), a, "the name of a state");
        state(call.first(), declared);
        yield Shape.BOOL;
      }
      case UINT, BYTES, TYPE -> Shape.FOREIGN;
      case TIMESTAMP -> {
        boolean fits = a.is(Kind.STRING) || a.is(Kind.INT) || a.is(Kind.TIMESTAMP);
        one(call, fits, a, "a string or seconds");
        constant(call);
        yield Shape.TIMESTAMP;
      }
      case DURATION -> {
        one(call, a.is(Kind.STRING) || a.is(Kind.DURATION), a, "a string");
        constant(call);
        yield Shape.DURATION;
      }
      case GET_FULL_YEAR,
          GET_MONTH,
          GET_DATE,
          GET_DAY_OF_MONTH,
          GET_DAY_OF_WEEK,
          GET_DAY_OF_YEAR,
          GET_HOURS,
          GET_MINUTES,
          GET_SECONDS,
          GET_MILLISECONDS -> {
        one(call, a.isAny() || isTime(a), a, "a timestamp");
        yield Shape.INT;
      }
    };
  }

  private static boolean isTime(Shape shape) {
    return shape.kind() == Kind.TIMESTAMP || shape.kind() == Kind.DURATION;
  }

  /** A timestamp or duration written out is right or wrong now. */
  private static void constant(Node.Call call) throws SyntaxException {
    if (call.first() instanceof Node.Constant(int at, Object value)) {
      try {
        Operations.apply(call, value, null, null);
      } catch (EvaluationException e) {
        throw new SyntaxException(String.valueOf(e.getMessage()), at);
      }
    }
  }

  private static Shape arithmetic(Node.Call call, Shape a, Shape b) throws SyntaxException {
    Function function = call.function();
    if (isTime(a) || isTime(b)) {
      return times(call, a, b);
    }
    if (a.isAny() || b.isAny()) {
      Shape known = a.isAny() ? b : a;
      boolean possible =
          known.isAny()
              || known.kind() == Kind.INT
              || (known.kind() == Kind.DOUBLE && function != Function.MODULO)
              || (function == Function.ADD
                  && (known.kind() == Kind.STRING || known.kind() == Kind.LIST));
      if (!possible) {
        throw misfit(call, operands(function), a, b, "");
      }
      return plain(known);
    }
    boolean numbers =
        a.kind() == b.kind()
            && (a.kind() == Kind.INT || (a.kind() == Kind.DOUBLE && function != Function.MODULO));
    if (numbers) {
      return plain(a);
    }
    if (function == Function.ADD && a.kind() == b.kind()) {
      if (a.kind() == Kind.STRING) {
        return Shape.STRING;
      }
      if (a.kind() == Kind.LIST) {
        Shape x = a.item();
        Shape y = b.item();
        // The empty list written out says nothing about its items.
        return Shape.list(x == null ? y : y == null ? x : x.either(y));
      }
    }
    throw misfit(call, operands(function), a, b, conversion(call, a, b));
  }

  private static Shape times(Node.Call call, Shape a, Shape b) throws SyntaxException {
    boolean durations = a.is(Kind.DURATION) && b.is(Kind.DURATION);
    if (call.function() == Function.ADD) {
      if (durations) {
        return a.isAny() || b.isAny() ? Shape.ANY : Shape.DURATION;
      }
      if ((a.is(Kind.TIMESTAMP) && b.is(Kind.DURATION))
          || (a.is(Kind.DURATION) && b.is(Kind.TIMESTAMP))) {
        return Shape.TIMESTAMP;
      }
    } else if (call.function() == Function.SUBTRACT) {
      if (durations || (a.is(Kind.TIMESTAMP) && b.kind() == Kind.TIMESTAMP)) {
        return a.isAny() || b.isAny() ? Shape.ANY : Shape.DURATION;
      }
      if (a.kind() == Kind.TIMESTAMP && b.is(Kind.DURATION)) {
        return b.isAny() ? Shape.ANY : Shape.TIMESTAMP;
      }
    }
    throw misfit(call, "times and durations that fit", a, b, "");
  }

  private static Shape plain(Shape shape) {
    return shape.kind() == Kind.LIST ? Shape.list(null) : Shape.of(shape.kind());
  }

  private static String operands(Function function) {
    return switch (function) {
      case ADD -> "two ints, two doubles, two strings or two lists";
      case MODULO -> "two ints";
      default -> "two ints or two doubles";
    };
  }

  private static String conversion(Node.Call call, Shape a, Shape b) {
    if (a.isNumber() && b.isNumber() && call.function() != Function.MODULO) {
      Node whole = a.kind() == Kind.INT ? call.first() : call.second();
      return whole instanceof Node.Constant(_, Object value)
          ? " Write `" + value + ".0`."
          : " Write `double(" + NodeText.of(whole) + ")`.";
    }
    if (call.function() == Function.ADD && a.kind() == Kind.STRING && b.isNumber()) {
      return " Write `string(" + NodeText.of(call.second()) + ")`.";
    }
    if (call.function() == Function.ADD && b.kind() == Kind.STRING && a.isNumber()) {
      return " Write `string(" + NodeText.of(call.first()) + ")`.";
    }
    if (call.function() == Function.ADD && a.kind() == Kind.LIST) {
      return " Write `[" + NodeText.of(call.second()) + "]` to add one item.";
    }
    return "";
  }

  private static void order(Node.Call call, Shape a, Shape b) throws SyntaxException {
    boolean comparable =
        (a.isNumber() && b.isNumber())
            || (a.is(Kind.STRING) && b.is(Kind.STRING))
            || (a.is(Kind.BOOL) && b.is(Kind.BOOL))
            || (a.is(Kind.TIMESTAMP) && b.is(Kind.TIMESTAMP))
            || (a.is(Kind.DURATION) && b.is(Kind.DURATION));
    if (!comparable) {
      String hint =
          a.kind() == Kind.LIST && b.kind() == Kind.INT
              ? " Write `size(" + NodeText.of(call.first()) + ")`."
              : "";
      throw misfit(call, "two numbers or two strings", a, b, hint);
    }
  }

  private static void equality(Node.Call call, Node left, Shape a, Node right, Shape b)
      throws SyntaxException {
    never(left, a, right, b);
    never(right, b, left, a);
    if (!comparable(a, b)) {
      throw misfit(call, "two values of one type", a, b, "");
    }
    oneOf(left, a, right);
    oneOf(right, b, left);
  }

  private static boolean comparable(Shape a, Shape b) {
    if (a.isAny() || b.isAny() || a.kind() == Kind.NULL || b.kind() == Kind.NULL) {
      return true;
    }
    if (a.isNumber() && b.isNumber()) {
      return true;
    }
    if (a.isFields() && b.isFields()) {
      return true;
    }
    return a.kind() == b.kind()
        && (a.kind() != Kind.LIST || comparable(a.itemOrAny(), b.itemOrAny()));
  }

  /** A comparison with null that can't hold is a mistake about what null means. */
  private static void never(Node node, Shape shape, Node other, Shape otherShape)
      throws SyntaxException {
    if (otherShape.kind() == Kind.NULL
        && !shape.isAny()
        && shape.kind() != Kind.NULL
        && !shape.nullable()) {
      String hint =
          node instanceof Node.Slot || node instanceof Node.Select
              ? " Write `has(" + NodeText.of(node) + ")`, or declare it `optional: true`."
              : "";
      throw new SyntaxException(
          "Expected something that may be null, but `%s` is %s and never null.%s"
              .formatted(NodeText.of(node), shape.kind().words(), hint),
          other.at());
    }
  }

  private static void oneOf(Node node, Shape shape, Node other) throws SyntaxException {
    if (shape.values().isEmpty() || !(other instanceof Node.Constant(int at, Object value))) {
      return;
    }
    if (value != null && shape.values().stream().noneMatch(v -> Values.equal(v, value, null))) {
      List<String> texts = shape.values().stream().map(NodeText::value).toList();
      throw new SyntaxException(
          "Expected one of %s, but `%s` is never %s.%s"
              .formatted(
                  NodeText.clip(texts.stream().collect(Collectors.joining(", "))),
                  NodeText.of(node),
                  NodeText.value(value),
                  Nearest.hint("", NodeText.value(value), texts)),
          at);
    }
  }

  private static void membership(Node.Call call, Shape a, Shape b) throws SyntaxException {
    if (!b.isCollection()) {
      throw new SyntaxException(
          "Expected a list or a map after `in`, but `%s` is %s."
              .formatted(NodeText.of(call.second()), b.kind().words()),
          call.second().at());
    }
    Shape item = b.kind() == Kind.LIST ? b.itemOrAny() : b.isAny() ? Shape.ANY : Shape.STRING;
    if (b.kind() != Kind.MAP && !comparable(a, item)) {
      throw new SyntaxException(
          "Expected %s before `in`, as in the list, but `%s` is %s."
              .formatted(item.kind().words(), NodeText.of(call.first()), a.kind().words()),
          call.at());
    }
    if (call.second() instanceof Node.ListOf(_, List<Node> items)) {
      for (Node each : items) {
        oneOf(call.first(), a, each);
      }
    }
    oneOf(call.second(), item, call.first());
  }

  private static void pattern(Node node) throws SyntaxException {
    if (node instanceof Node.Constant(int at, String text)) {
      String fault = faultOf(text);
      if (fault != null) {
        throw new SyntaxException(fault, at);
      }
    }
  }

  private static @Nullable String faultOf(String pattern) {
    try {
      SafePattern.compile(pattern);
      return null;
    } catch (EvaluationException e) {
      return e.getMessage();
    }
  }

  private static void state(Node node, Declarations declared) throws SyntaxException {
    if (node instanceof Node.Constant(int at, String state) && !declared.states().contains(state)) {
      throw new SyntaxException(
          "Expected a state of the machine, but `%s` is none.%s"
              .formatted(NodeText.clip(state), Nearest.hint("", state, declared.states())),
          at);
    }
  }

  private static void one(Node.Call call, boolean fits, Shape shape, String wanted)
      throws SyntaxException {
    if (!fits) {
      throw new SyntaxException(
          "Expected %s for `%s`, but `%s` is %s."
              .formatted(
                  wanted, call.function().text(), NodeText.of(call.first()), shape.kind().words()),
          call.first().at());
    }
  }

  private static SyntaxException misfit(
      Node.Call call, String wanted, Shape a, Shape b, String hint) {
    return new SyntaxException(
        "Expected %s for `%s`, but `%s` is %s and `%s` is %s.%s"
            .formatted(
                wanted,
                call.function().text(),
                NodeText.of(call.first()),
                a.kind().words(),
                NodeText.of(call.second()),
                b.kind().words(),
                hint),
        call.at());
  }
}
