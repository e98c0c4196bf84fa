package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Throws the small parts of a random machine: texts, values, expressions, payloads. */
final class Dice {
  /** Texts that a careless writer gets wrong. */
  private static final List<String> TEXTS =
      List.of(
          "Waits for a person.",
          "",
          " ",
          "true",
          "null",
          "~",
          "12",
          "0x1F",
          "1e5",
          "-",
          "- x",
          "a: b",
          "a #b",
          "#x",
          "it's",
          "\"quoted\" \\ and 'both'",
          "line one\nline two",
          "line one\nline two\n",
          "\n\nfirst",
          "  indented\nless",
          "trailing \nspace",
          "tab\there",
          "carriage\rreturn",
          "[a, b]",
          "{ a: b }",
          "! not",
          "*star",
          "&and",
          "%",
          "@at",
          "`",
          "---",
          "...",
          "<x a=\"1\">&amp;]]></x>",
          "größer als 5 €",
          "\ud83d\ude00 smile",
          "\u0000\u0007\u001f",
          "\u0085\u00a0\u2028\ufeff",
          "end\n\n",
          "key:",
          "x".repeat(150));

  private static final List<String> EXPRESSIONS =
      List.of(
          "true",
          "1 + 1",
          "size('abc') > 2",
          "[1, 2].exists(x, x > 1)",
          "{'a': 1}.a == 1",
          "true ? 'a: b' : \"c # d\"",
          "'it''s' == ''",
          "!false",
          "-1 < 0",
          "5",
          "1.5",
          "'line' +\n  'break'",
          "'*' != '&'");

  private final Random random;

  Dice(Random random) {
    this.random = random;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  @SafeVarargs
  final <T> T pick(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  <T> @Nullable T maybe(Supplier<T> supplier) {
    return chance(30) ? supplier.get() : null;
  }

  String text() {
    return pick(TEXTS);
  }

  /** A name without white space, some of them easy to mistake. */
  String name() {
    return pick("a", "lint", "done.x", "30", "true", "5m", "a:b", "#x", "[y]", "naïve", "x'y", "-");
  }

  Operand.Expr expression() {
    return Operand.expr(pick(EXPRESSIONS));
  }

  @Nullable Object json(int depth) {
    return switch (below(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> chance(50);
      case 2 -> pick(0L, 1L, -5L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 53);
      case 3 -> pick(0.5, -0.0, 1.0, 1e300, Double.MIN_VALUE, 123456.789, -1e21);
      case 4, 5 -> text();
      case 6 -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = below(3); i > 0; i--) {
          list.add(json(depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = below(3); i > 0; i--) {
          map.put(pick("expr", "value", "location", "content", "a", "", "7"), json(depth - 1));
        }
        yield map;
      }
    };
  }

  Operand value() {
    return chance(50) ? expression() : Operand.literal(json(2));
  }

  /** Where a name is wanted. */
  Operand named() {
    return switch (below(5)) {
      case 0 -> expression();
      case 1 -> Operand.literal(json(1));
      default -> Operand.literal(name());
    };
  }

  Duration duration() {
    return Duration.ofMillis(pick(0L, 1L, 250L, 90_000L, 300_000L, 86_400_000L, 5_400_001L));
  }

  Operand delay() {
    return chance(60) ? Operand.literal(duration()) : expression();
  }

  Payload payload() {
    return switch (below(4)) {
      case 0, 1 -> Payload.NONE;
      case 2 -> new Payload(List.of(), value());
      default -> {
        List<Payload.Param> params = new ArrayList<>();
        for (int i = 1 + below(3); i > 0; i--) {
          String name = pick("a", "content", "expr", "x y", "1", "");
          params.add(
              chance(20)
                  ? new Payload.Param(name, Operand.literal("a.b"), true)
                  : Payload.Param.of(name, value()));
        }
        yield new Payload(params, null);
      }
    };
  }
}
