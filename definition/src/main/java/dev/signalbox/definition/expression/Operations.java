package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What functions and operators do with values that are known, with CEL's rules and errors. */
final class Operations {
  private Operations() {}

  /** The value of the call; {@link Function#IN_STATE} and the foreign ones are not for here. */
  static @Nullable Object apply(
      Node.Call call, @Nullable Object a, @Nullable Object b, @Nullable Frame frame) {
    return switch (call.function()) {
      case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO -> arithmetic(call, a, b, frame);
      case NEGATE -> negate(call, a);
      case EQUAL -> Values.equal(a, b, frame);
      case NOT_EQUAL -> !Values.equal(a, b, frame);
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> order(call, a, b);
      case IN -> in(call, a, b, frame);
      case SIZE -> size(call, a, frame);
      case CONTAINS, STARTS_WITH, ENDS_WITH -> text(call, a, b, frame);
      case MATCHES -> SafePattern.compile(string(call, b)).find(string(call, a), frame);
      case INT -> Conversions.toInt(call, a);
      case DOUBLE -> Conversions.toDouble(call, a);
      case STRING -> Conversions.toText(call, a);
      case BOOL -> Conversions.toBool(call, a);
      case DYN -> a;
      case TIMESTAMP -> Times.timestamp(call, a);
      case DURATION -> Times.duration(call, a);
      case GET_FULL_YEAR,
          GET_MONTH,
          GET_DATE,
          GET_DAY_OF_MONTH,
          GET_DAY_OF_WEEK,
          GET_DAY_OF_YEAR,
          GET_HOURS,
          GET_MINUTES,
          GET_SECONDS,
          GET_MILLISECONDS ->
          Times.part(call, a, b);
      case IN_STATE, UINT, BYTES, TYPE -> throw new IllegalStateException(call.function().name());
    };
  }

  static @Nullable Object select(Node node, Node operand, @Nullable Object value, String field) {
    if (value instanceof Map<?, ?> map) {
      Object found = map.get(field);
      if (found != null || map.containsKey(field)) {
        return found;
      }
      throw new EvaluationException(
          "Expected `" + NodeText.of(node) + "` to have a value, but there is no such field.");
    }
    throw noFields(operand, value, field);
  }

  static boolean present(Node operand, @Nullable Object value, String field) {
    if (value instanceof Map<?, ?> map) {
      return map.containsKey(field);
    }
    throw noFields(operand, value, field);
  }

  private static EvaluationException noFields(Node operand, @Nullable Object value, String field) {
    return new EvaluationException(
        "Expected `%s` to be a map with the field `%s`, but it is %s."
            .formatted(NodeText.of(operand), field, Values.kind(value)));
  }

  static @Nullable Object index(Node.Index node, @Nullable Object value, @Nullable Object key) {
    return switch (value) {
      case List<?> list -> item(node, list, key);
      case Map<?, ?> map -> {
        Object found = Values.find(map, key);
        if (found == Values.Missing.KEY) {
          throw new EvaluationException(
              "Expected `%s` to have a value, but there is no such key."
                  .formatted(NodeText.of(node)));
        }
        yield found;
      }
      case null, default -> throw wrong(node.operand(), "a list or a map", value);
    };
  }

  private static @Nullable Object item(Node.Index node, List<?> list, @Nullable Object key) {
    long index =
        switch (key) {
          case Long number -> number;
          case Double number when number == Math.rint(number) -> number.longValue();
          case null, default -> throw wrong(node.key(), "an int", key);
        };
    if (index < 0 || index >= list.size()) {
      throw new EvaluationException(
          "Expected `%s` to have an item %d, but it has %d."
              .formatted(NodeText.of(node.operand()), index, list.size()));
    }
    return list.get((int) index);
  }

  static boolean order(Node.Call call, @Nullable Object a, @Nullable Object b) {
    if (a instanceof Long x) {
      if (b instanceof Long y) {
        return order(call.function(), Long.compare(x, y));
      }
      if (b instanceof Double y) {
        return order(call.function(), (double) x, y);
      }
    } else if (a instanceof Double x) {
      if (b instanceof Double y) {
        return order(call.function(), x, y);
      }
      if (b instanceof Long y) {
        return order(call.function(), x, (double) y);
      }
    } else if (a instanceof String x && b instanceof String y) {
      return order(call.function(), x.compareTo(y));
    } else if (a instanceof Boolean x && b instanceof Boolean y) {
      return order(call.function(), Boolean.compare(x, y));
    } else if (a instanceof Instant x && b instanceof Instant y) {
      return order(call.function(), x.compareTo(y));
    } else if (a instanceof Duration x && b instanceof Duration y) {
      return order(call.function(), x.compareTo(y));
    }
    throw misfit(call, "two numbers or two strings", a, b);
  }

  static boolean order(Function function, int sign) {
    return switch (function) {
      case LESS -> sign < 0;
      case LESS_EQUAL -> sign <= 0;
      case GREATER -> sign > 0;
      default -> sign >= 0;
    };
  }

  /** Nothing is smaller or larger than NaN, or equal to it. */
  private static boolean order(Function function, double a, double b) {
    return switch (function) {
      case LESS -> a < b;
      case LESS_EQUAL -> a <= b;
      case GREATER -> a > b;
      default -> a >= b;
    };
  }

  static Object arithmetic(
      Node.Call call, @Nullable Object a, @Nullable Object b, @Nullable Frame frame) {
    if (a instanceof Long x && b instanceof Long y) {
      return whole(call, x, y);
    }
    if (a instanceof Double x && b instanceof Double y && call.function() != Function.MODULO) {
      return switch (call.function()) {
        case ADD -> x + y;
        case SUBTRACT -> x - y;
        case MULTIPLY -> x * y;
        default -> x / y;
      };
    }
    Object time = Times.arithmetic(call, a, b);
    if (time != null) {
      return time;
    }
    if (call.function() == Function.ADD) {
      if (a instanceof String x && b instanceof String y) {
        Frame.count(frame, ((long) x.length() + y.length()) >> 3);
        return x + y;
      }
      if (a instanceof List<?> x && b instanceof List<?> y) {
        Frame.count(frame, (long) x.size() + y.size());
        List<@Nullable Object> both = new ArrayList<>(x.size() + y.size());
        both.addAll(x);
        both.addAll(y);
        return Collections.unmodifiableList(both);
      }
      throw misfit(call, "two ints, two doubles, two strings or two lists", a, b);
    }
    throw misfit(
        call, call.function() == Function.MODULO ? "two ints" : "two ints or two doubles", a, b);
  }

  static long whole(Node.Call call, long x, long y) {
    return switch (call.function()) {
      case ADD -> {
        long sum = x + y;
        if (((x ^ sum) & (y ^ sum)) < 0) {
          throw overflow(call);
        }
        yield sum;
      }
      case SUBTRACT -> {
        long difference = x - y;
        if (((x ^ y) & (x ^ difference)) < 0) {
          throw overflow(call);
        }
        yield difference;
      }
      case MULTIPLY -> {
        long high = Math.multiplyHigh(x, y);
        long low = x * y;
        if (high != low >> 63) {
          throw overflow(call);
        }
        yield low;
      }
      default -> {
        if (y == 0) {
          throw new EvaluationException(
              "Expected `" + NodeText.of(call) + "` to have a value, but the divisor is zero.");
        }
        if (call.function() == Function.MODULO) {
          yield x % y;
        }
        if (x == Long.MIN_VALUE && y == -1) {
          throw overflow(call);
        }
        yield x / y;
      }
    };
  }

  static Object negate(Node.Call call, @Nullable Object a) {
    return switch (a) {
      case Long x when x == Long.MIN_VALUE -> throw overflow(call);
      case Long x -> -x;
      case Double x -> -x;
      case null, default -> throw wrong(call.first(), "a number", a);
    };
  }

  static EvaluationException overflow(Node.Call call) {
    return new EvaluationException(
        "Expected `" + NodeText.of(call) + "` to fit into 64 bits, but it does not.");
  }

  static long size(Node.Call call, @Nullable Object value, @Nullable Frame frame) {
    return switch (value) {
      case List<?> list -> list.size();
      case Map<?, ?> map -> map.size();
      case String s -> {
        Frame.count(frame, s.length() >> 3);
        yield s.codePointCount(0, s.length());
      }
      case null, default -> throw wrong(call.first(), "a list, a map or a string", value);
    };
  }

  static boolean in(
      Node.Call call, @Nullable Object value, @Nullable Object all, @Nullable Frame frame) {
    return switch (all) {
      case List<?> list -> contains(list, value, frame);
      case Map<?, ?> map -> Values.find(map, value) != Values.Missing.KEY;
      case null, default -> throw wrong(call.second(), "a list or a map", all);
    };
  }

  private static boolean contains(List<?> list, @Nullable Object value, @Nullable Frame frame) {
    Frame.count(frame, list.size() >> 2);
    for (int i = 0; i < list.size(); i++) {
      if (Values.equal(list.get(i), value, frame)) {
        return true;
      }
    }
    return false;
  }

  static boolean text(
      Node.Call call, @Nullable Object a, @Nullable Object b, @Nullable Frame frame) {
    if (a instanceof String x && b instanceof String y) {
      Frame.count(frame, x.length() >> 3);
      return switch (call.function()) {
        case CONTAINS -> x.contains(y);
        case STARTS_WITH -> x.startsWith(y);
        default -> x.endsWith(y);
      };
    }
    throw misfit(call, "two strings", a, b);
  }

  private static String string(Node.Call call, @Nullable Object value) {
    if (value instanceof String s) {
      return s;
    }
    throw new EvaluationException(
        "Expected two strings for `%s`, but one is %s."
            .formatted(NodeText.of(call), Values.kind(value)));
  }

  static EvaluationException wrong(Node node, String wanted, @Nullable Object value) {
    return new EvaluationException(
        "Expected `%s` to be %s, but it is %s."
            .formatted(NodeText.of(node), wanted, Values.kind(value)));
  }

  static EvaluationException misfit(
      Node.Call call, String wanted, @Nullable Object a, @Nullable Object b) {
    return new EvaluationException(
        "Expected %s for `%s`, but they are %s and %s."
            .formatted(wanted, NodeText.of(call), Values.kind(a), Values.kind(b)));
  }
}
