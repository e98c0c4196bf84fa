package dev.signalbox.definition.expression;

import dev.signalbox.kernel.EvaluationException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The functions {@code int}, {@code double}, {@code string} and {@code bool}. */
final class Conversions {
  private static final int LONGEST_NUMBER = 400;

  private Conversions() {}

  static Object toInt(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case Long number -> number;
      case Double number when number > -0x1p63 && number < 0x1p63 -> number.longValue();
      case Double _ -> throw Operations.overflow(call);
      case Instant instant -> instant.getEpochSecond();
      case String text -> {
        try {
          yield Long.parseLong(text);
        } catch (NumberFormatException e) {
          throw notA(call, "an int");
        }
      }
      case null, default -> throw Operations.wrong(call.first(), "a number or a string", value);
    };
  }

  static Object toDouble(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case Double number -> number;
      case Long number -> (double) number;
      case String text -> parsed(call, text);
      case null, default -> throw Operations.wrong(call.first(), "a number or a string", value);
    };
  }

  private static double parsed(Node.Call call, String text) {
    try {
      if (text.length() <= LONGEST_NUMBER) {
        return Double.parseDouble(text);
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw notA(call, "a number");
  }

  static Object toText(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case String text -> text;
      case Long number -> number.toString();
      case Double number -> number.toString();
      case Boolean truth -> truth.toString();
      case Instant instant -> instant.toString();
      case Duration duration -> Times.text(duration);
      case null, default ->
          throw Operations.wrong(call.first(), "a string, a number or a bool", value);
    };
  }

  static Object toBool(Node.Call call, @Nullable Object value) {
    return switch (value) {
      case Boolean truth -> truth;
      case String text ->
          switch (text) {
            case "true", "True", "TRUE", "t", "1" -> true;
            case "false", "False", "FALSE", "f", "0" -> false;
            default -> throw notA(call, "a bool");
          };
      case null, default -> throw Operations.wrong(call.first(), "a bool or a string", value);
    };
  }

  private static EvaluationException notA(Node.Call call, String wanted) {
    return new EvaluationException(
        "Expected `%s` to be the text of %s, but it is not."
            .formatted(NodeText.of(call.first()), wanted));
  }
}
