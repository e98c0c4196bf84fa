package dev.signalbox.definition.yaml;

import dev.signalbox.definition.yaml.Node.Kind;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes operands, payloads and JSON values; the counterpart of {@link Values}. */
final class ValueWriter {
  private static final Set<String> FORMS = Set.of("expr", "value", "location");

  private final Consumer<String> cannotSay;

  /**
   * @param cannotSay takes what YAML has no form for, as the end of "Expected …, but …"
   */
  ValueWriter(Consumer<String> cannotSay) {
    this.cannotSay = cannotSay;
  }

  Part value(Operand operand) {
    return switch (operand) {
      case Operand.Expr(String text) -> Part.text(text);
      case Operand.Literal(String text) -> Part.Entries.of("value", Part.text(text));
      case Operand.Literal(Map<?, ?> map) when isForm(map) -> Part.Entries.of("value", json(map));
      case Operand.Literal(Object value) -> json(value);
    };
  }

  /** A one-entry map that would be read as something else than itself. */
  private static boolean isForm(Map<?, ?> map) {
    return map.size() == 1 && FORMS.contains(String.valueOf(map.keySet().iterator().next()));
  }

  Part name(Operand operand) {
    return switch (operand) {
      case Operand.Expr(String text) -> Part.Entries.of("expr", Part.text(text));
      case Operand.Literal(String text) when !text.isBlank() -> Part.text(text);
      case Operand.Literal(Object value) -> Part.Entries.of("value", json(value));
    };
  }

  Part condition(Operand.Expr expression) {
    Kind kind = Scalars.kindOf(expression.text());
    return kind == Kind.TEXT || kind == Kind.NOTHING
        ? Part.text(expression.text())
        : new Part.Plain(expression.text());
  }

  @Nullable Part delay(@Nullable Operand operand) {
    return switch (operand) {
      case null -> null;
      case Operand.Expr(String text) when Values.isComputedDelay(text) -> Part.text(text);
      case Operand.Expr(String text) -> Part.Entries.of("expr", Part.text(text));
      case Operand.Literal(Duration duration) -> Part.text(duration(duration));
      case Operand.Literal(Object value) -> {
        cannotSay.accept("a delay is the value " + value);
        yield Part.text("0s");
      }
    };
  }

  String duration(Duration duration) {
    String text = Durations.text(duration);
    if (!Durations.parse(text).equals(Optional.of(duration))) {
      cannotSay.accept("the duration " + duration + " is not in whole milliseconds from 0");
    }
    return text;
  }

  /** Null for a payload that is absent or empty. */
  @Nullable Part payload(@Nullable Payload payload) {
    return payload == null || payload.isEmpty() ? null : present(payload);
  }

  Part present(Payload payload) {
    Operand content = payload.content();
    if (content != null) {
      if (!payload.params().isEmpty()) {
        cannotSay.accept("a payload has both named values and one value as a whole");
      }
      return Part.Entries.of("content", value(content));
    }
    List<Part.Entry> entries = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Payload.Param param : payload.params()) {
      entries.add(new Part.Entry(param.name(), param(param)));
      names.add(param.name());
    }
    boolean looksLikeContent = names.equals(Set.of("content"));
    if (names.size() == entries.size() && !looksLikeContent) {
      return new Part.Entries(entries, false);
    }
    return Part.list(entries.stream().<Part>map(e -> new Part.Entries(List.of(e), false)).toList());
  }

  private Part param(Payload.Param param) {
    if (!param.location()) {
      return value(param.value());
    }
    if (param.value() instanceof Operand.Literal(String path)) {
      return Part.Entries.of("location", Part.text(path));
    }
    cannotSay.accept("the location of '" + param.name() + "' is not a path");
    return value(param.value());
  }

  Part json(@Nullable Object value) {
    return switch (value) {
      case null -> new Part.Plain("null");
      case Boolean b -> Part.flag(b);
      case Long number -> Part.number(number);
      case Double number when Double.isFinite(number) -> new Part.Plain(Double.toString(number));
      case String text -> Part.text(text);
      case List<?> list -> {
        List<Part> items = new ArrayList<>();
        for (Object item : list) {
          items.add(json(item));
        }
        yield Part.list(items);
      }
      case Map<?, ?> map -> {
        List<Part.Entry> entries = new ArrayList<>();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          entries.add(new Part.Entry(String.valueOf(entry.getKey()), json(entry.getValue())));
        }
        yield new Part.Entries(entries, false);
      }
      default -> {
        cannotSay.accept("a value is " + value + ", which is not JSON");
        yield new Part.Plain("null");
      }
    };
  }
}
