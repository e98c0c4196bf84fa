package dev.signalbox.definition.expression;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random expressions over the fields {@link #FIELDS}, mostly of fitting types, and random values
 * for them.
 *
 * <p>CEL for Java answers oddly about NaN, negative zero and negative durations with a fraction,
 * and walks a map written out in the order of its text; none of them is produced here.
 */
final class RandomExpressions {
  static final List<String> FIELDS = List.of("b", "i", "j", "d", "s", "t", "l", "m", "o", "z");

  private final Random random;
  private final List<String> locals = new ArrayList<>();

  RandomExpressions(Random random) {
    this.random = random;
  }

  /** An expression of any type. */
  String any(int depth) {
    return pick(
        () -> condition(depth),
        () -> whole(depth),
        () -> fraction(depth),
        () -> text(depth),
        () -> list(depth),
        () -> map(depth),
        () -> time(depth),
        () -> duration(depth),
        () -> "null",
        () -> "data.z",
        () -> local("data.o"));
  }

  String condition(int depth) {
    if (depth <= 0) {
      return pick(() -> "true", () -> "false", () -> "data.b", () -> "has(data.z)");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + condition(d) + " && " + condition(d) + ")",
        () -> "(" + condition(d) + " || " + condition(d) + ")",
        () -> "!" + condition(d),
        () -> "(" + condition(d) + " ? " + condition(d) + " : " + condition(d) + ")",
        () -> "(" + whole(d) + order() + whole(d) + ")",
        () -> "(" + whole(d) + order() + fraction(d) + ")",
        () -> "(" + fraction(d) + order() + fraction(d) + ")",
        () -> "(" + text(d) + order() + text(d) + ")",
        () -> "(" + any(d) + equality() + any(d) + ")",
        () -> "(" + whole(d) + equality() + whole(d) + ")",
        () -> "(" + text(d) + equality() + text(d) + ")",
        () -> "(" + list(d) + equality() + list(d) + ")",
        () -> "(" + map(d) + equality() + map(d) + ")",
        () -> "(" + whole(d) + " in " + list(d) + ")",
        () -> "(" + text(d) + " in " + list(d) + ")",
        () -> "(" + text(d) + " in " + map(d) + ")",
        () -> "(" + any(d) + " && " + condition(d) + ")",
        () -> "has(data.o." + key() + ")",
        () -> "has(" + map(d) + "." + key() + ")",
        () -> text(d) + ".startsWith(" + text(d) + ")",
        () -> text(d) + ".endsWith(" + text(d) + ")",
        () -> text(d) + ".contains(" + text(d) + ")",
        () -> text(d) + ".matches('^[a-c]+$')",
        () -> "bool(" + text(d) + ")",
        () -> "(" + time(d) + order() + time(d) + ")",
        () -> "(" + duration(d) + order() + duration(d) + ")",
        () -> loop(d, "all"),
        () -> loop(d, "exists"),
        () -> loop(d, "exists_one"));
  }

  private String whole(int depth) {
    if (depth <= 0) {
      return pick(
          () -> Integer.toString(random.nextInt(-3, 6)),
          () -> local("data.i"),
          () -> "data.j",
          () -> "9223372036854775807");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + whole(d) + " + " + whole(d) + ")",
        () -> "(" + whole(d) + " - " + whole(d) + ")",
        () -> "(" + whole(d) + " * " + whole(d) + ")",
        () -> "(" + whole(d) + " / " + whole(d) + ")",
        () -> "(" + whole(d) + " % " + whole(d) + ")",
        () -> "-(" + whole(d) + ")",
        () -> "size(" + list(d) + ")",
        () -> text(d) + ".size()",
        () -> "size(" + map(d) + ")",
        () -> list(d) + "[" + whole(d) + "]",
        () -> map(d) + "." + key(),
        () -> "int(" + text(d) + ")",
        () -> "int(" + fraction(d) + ")",
        () -> "int(" + time(d) + ")",
        () -> time(d) + "." + part() + "()",
        () -> time(d) + "." + part() + "('-03:30')",
        () -> duration(d) + "." + part() + "()",
        () -> "(" + condition(d) + " ? " + whole(d) + " : " + whole(d) + ")",
        () -> whole(0));
  }

  private String fraction(int depth) {
    if (depth <= 0) {
      return pick(() -> "0.5", () -> "2.0", () -> "data.d", () -> "3.25");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + fraction(d) + " + " + fraction(d) + ")",
        () -> "(" + fraction(d) + " * " + fraction(d) + ")",
        () -> "(" + fraction(d) + " / 2.0)",
        () -> "(" + fraction(d) + " + " + any(d) + ")",
        () -> "double(data.d)",
        () -> fraction(0));
  }

  private String text(int depth) {
    if (depth <= 0) {
      return pick(
          () -> "'a'",
          () -> "''",
          () -> "'abc'",
          () -> "'12'",
          () -> local("data.s"),
          () -> "data.t",
          () -> "'ü😀'",
          () -> "'true'");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + text(d) + " + " + text(d) + ")",
        () -> "string(" + whole(d) + ")",
        () -> "string(" + condition(d) + ")",
        () -> "string(" + time(d) + ")",
        () -> "string(" + duration(d) + ")",
        () -> "(" + any(d) + " + " + text(d) + ")",
        () -> list(d) + "[0]",
        () -> text(0));
  }

  private String time(int depth) {
    if (depth <= 0) {
      return pick(
          () -> "timestamp('2024-02-29T23:59:58Z')",
          () -> "timestamp('1969-12-31T12:00:00+05:00')",
          () -> "timestamp(data.i)",
          () -> "timestamp(data.s)");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + time(d) + " + " + duration(d) + ")",
        () -> "(" + duration(d) + " + " + time(d) + ")",
        () -> "(" + time(d) + " - " + duration(d) + ")",
        () -> time(0));
  }

  private String duration(int depth) {
    if (depth <= 0) {
      return pick(
          () -> "duration('1h30m')",
          () -> "duration('-90061s')",
          () -> "duration('7s')",
          () -> "duration('100000h')",
          () -> "duration(data.t)");
    }
    int d = depth - 1;
    return pick(
        () -> "(" + duration(d) + " + " + duration(d) + ")",
        () -> "(" + duration(d) + " - " + duration(d) + ")",
        () -> "(" + time(d) + " - " + time(d) + ")",
        () -> duration(0));
  }

  private String part() {
    return pick(
        () -> "getFullYear",
        () -> "getMonth",
        () -> "getDate",
        () -> "getDayOfMonth",
        () -> "getDayOfWeek",
        () -> "getDayOfYear",
        () -> "getHours",
        () -> "getMinutes",
        () -> "getSeconds",
        () -> "getMilliseconds");
  }

  private String list(int depth) {
    if (depth <= 0) {
      return pick(() -> "[]", () -> "data.l", () -> "[1, 2, 3]", () -> "['a', 'b']");
    }
    int d = depth - 1;
    return pick(
        () -> "[" + any(d) + ", " + any(d) + "]",
        () -> "[" + whole(d) + "]",
        () -> "(" + list(d) + " + " + list(d) + ")",
        () -> loop(d, "filter"),
        () -> mapping(d),
        () -> list(0));
  }

  private String map(int depth) {
    if (depth <= 0) {
      return pick(() -> "{}", () -> "data.m", () -> "data.o", () -> "{'a': 1, 'b': 'x'}");
    }
    int d = depth - 1;
    return pick(
        () -> "{'a': " + any(d) + ", 'c': " + whole(d) + "}",
        () -> "{" + text(d) + ": " + any(d) + "}",
        () -> map(0));
  }

  private String loop(int depth, String macro) {
    String variable = "v" + locals.size();
    String range = random.nextInt(4) == 0 ? map(depth) : list(depth);
    locals.add(variable);
    String body = condition(depth);
    locals.removeLast();
    return range + "." + macro + "(" + variable + ", " + body + ")";
  }

  private String mapping(int depth) {
    String variable = "v" + locals.size();
    String range = random.nextInt(4) == 0 ? map(depth) : list(depth);
    locals.add(variable);
    String filter = random.nextInt(3) == 0 ? condition(depth) + ", " : "";
    String body = any(depth);
    locals.removeLast();
    return range + ".map(" + variable + ", " + filter + body + ")";
  }

  private String local(String otherwise) {
    return locals.isEmpty() || random.nextInt(3) == 0
        ? otherwise
        : locals.get(random.nextInt(locals.size()));
  }

  private String order() {
    return pick(() -> " < ", () -> " <= ", () -> " > ", () -> " >= ");
  }

  private String equality() {
    return pick(() -> " == ", () -> " != ");
  }

  private String key() {
    return pick(() -> "a", () -> "b", () -> "c");
  }

  @SafeVarargs
  private String pick(Supplier<String>... choices) {
    return choices[random.nextInt(choices.length)].get();
  }

  /** A value for each field; absent fields are not in the map. */
  Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("b", random.nextBoolean());
    values.put("i", (long) random.nextInt(-2, 5));
    values.put("j", random.nextInt(5) == 0 ? (Object) Long.MIN_VALUE : (Object) 2L);
    values.put("d", List.of(0.5, 1.5, 2.75).get(random.nextInt(3)));
    values.put("s", List.of("", "a", "abc", "7").get(random.nextInt(4)));
    values.put("t", List.of("x", "ab", "false").get(random.nextInt(3)));
    values.put("l", value(2, true));
    values.put("m", random.nextInt(8) == 0 ? null : Map.of("a", 1L, "b", "x", "c", 0.5));
    values.put("o", value(2, false));
    if (random.nextBoolean()) {
      values.put("z", value(1, random.nextBoolean()));
    }
    return values;
  }

  @Nullable Object value(int depth, boolean list) {
    if (depth == 0 || random.nextInt(6) == 0) {
      return switch (random.nextInt(6)) {
        case 0 -> null;
        case 1 -> random.nextBoolean();
        case 2 -> 1.5;
        case 3 -> List.of("a", "b", "ab").get(random.nextInt(3));
        default -> (long) random.nextInt(-1, 4);
      };
    }
    if (list) {
      List<@Nullable Object> items = new ArrayList<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        items.add(value(depth - 1, random.nextBoolean()));
      }
      return Collections.unmodifiableList(items);
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (String key : List.of("c", "a", "b")) {
      if (random.nextBoolean()) {
        map.put(key, value(depth - 1, random.nextBoolean()));
      }
    }
    return Collections.unmodifiableMap(map);
  }
}
