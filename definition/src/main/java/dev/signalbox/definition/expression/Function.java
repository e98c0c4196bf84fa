package dev.signalbox.definition.expression;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The functions and operators of an expression.
 *
 * <p>A function may be called plainly, as a method of its first argument, or both. Foreign ones are
 * left to CEL's interpreter, together with the whole expression they stand in.
 */
enum Function {
  ADD("_+_", "+"),
  SUBTRACT("_-_", "-"),
  MULTIPLY("_*_", "*"),
  DIVIDE("_/_", "/"),
  MODULO("_%_", "%"),
  NEGATE("-_", "-"),
  EQUAL("_==_", "=="),
  NOT_EQUAL("_!=_", "!="),
  LESS("_<_", "<"),
  LESS_EQUAL("_<=_", "<="),
  GREATER("_>_", ">"),
  GREATER_EQUAL("_>=_", ">="),
  IN("@in", "in"),
  SIZE("size", 1, 0, false),
  CONTAINS("contains", -1, 1, false),
  STARTS_WITH("startsWith", -1, 1, false),
  ENDS_WITH("endsWith", -1, 1, false),
  MATCHES("matches", 2, 1, false),
  INT("int", 1, -1, false),
  DOUBLE("double", 1, -1, false),
  STRING("string", 1, -1, false),
  BOOL("bool", 1, -1, false),
  DYN("dyn", 1, -1, false),
  IN_STATE("In", 1, -1, false),
  UINT("uint", 1, -1, true),
  BYTES("bytes", 1, -1, true),
  TYPE("type", 1, -1, true),
  TIMESTAMP("timestamp", 1, -1, false),
  DURATION("duration", 1, -1, false),
  GET_FULL_YEAR("getFullYear"),
  GET_MONTH("getMonth"),
  GET_DATE("getDate"),
  GET_DAY_OF_MONTH("getDayOfMonth"),
  GET_DAY_OF_WEEK("getDayOfWeek"),
  GET_DAY_OF_YEAR("getDayOfYear"),
  GET_HOURS("getHours"),
  GET_MINUTES("getMinutes"),
  GET_SECONDS("getSeconds"),
  GET_MILLISECONDS("getMilliseconds");

  private static final Map<String, Function> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(f -> f.celName, f -> f));

  private final String celName;
  private final String text;
  private final boolean operator;
  private final boolean foreign;
  private final int plain;
  private final int method;

  Function(String celName, String text) {
    this(celName, text, true, false, -1, -1);
  }

  Function(String name, int plain, int method, boolean foreign) {
    this(name, name, false, foreign, plain, method);
  }

  /** A part of a timestamp or duration; some take a time zone. */
  Function(String name) {
    this(name, name, false, false, -1, 0);
  }

  Function(String celName, String text, boolean operator, boolean foreign, int plain, int method) {
    this.celName = celName;
    this.text = text;
    this.operator = operator;
    this.foreign = foreign;
    this.plain = plain;
    this.method = method;
  }

  /** The function of that name in CEL's tree, or null. */
  static @Nullable Function named(String celName) {
    return BY_NAME.get(celName);
  }

  /** The names that can be called. */
  static Collection<String> names() {
    return Arrays.stream(values()).filter(f -> !f.operator).map(f -> f.text).toList();
  }

  /** The name, or the operator's sign. */
  String text() {
    return text;
  }

  boolean isOperator() {
    return operator;
  }

  boolean isForeign() {
    return foreign;
  }

  boolean takes(int arguments, boolean asMethod) {
    if (operator) {
      return true;
    }
    boolean zoned = isPartOfTime() && asMethod && arguments == 1;
    return zoned || (asMethod ? method : plain) == arguments;
  }

  /** How the function is called, for a message. */
  String usage() {
    if (plain >= 0) {
      return text + "(" + String.join(", ", List.of("x", "y").subList(0, plain)) + ")";
    }
    return "x." + text + "(" + (method == 0 ? "" : "y") + ")";
  }

  /** Whether it reads a part of a timestamp, or a duration in some unit. */
  boolean isPartOfTime() {
    return compareTo(GET_FULL_YEAR) >= 0;
  }

  boolean isOrder() {
    return this == LESS || this == LESS_EQUAL || this == GREATER || this == GREATER_EQUAL;
  }

  boolean isArithmetic() {
    return this == ADD
        || this == SUBTRACT
        || this == MULTIPLY
        || this == DIVIDE
        || this == MODULO
        || this == NEGATE;
  }
}
