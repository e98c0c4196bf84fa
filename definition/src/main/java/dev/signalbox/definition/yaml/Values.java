package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Place;
import dev.signalbox.definition.yaml.Node.Kind;
import dev.signalbox.kernel.machine.Durations;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads values: expressions, names, literals, durations and payloads. */
final class Values {
  /** What an address of another instance looks like in the model: this, the expression, ")". */
  static final String INSTANCE = "'#_scxml_' + (";

  /** Longer digits than any number that is read, so that a huge one costs nothing. */
  private static final int LONGEST_NUMBER = 400;

  private final Reading reading;

  Values(Reading reading) {
    this.reading = reading;
  }

  /** Where a value is wanted: a text is an expression, anything else is taken as it is. */
  Operand value(Node node) {
    Operand explicit = explicit(node);
    if (explicit != null) {
      return explicit;
    }
    return node instanceof Node.Scalar scalar && scalar.kind() == Kind.TEXT
        ? expression(node)
        : literal(node);
  }

  /** Where a name is wanted: a text is the name itself. */
  @Nullable Operand name(Node node, String what) {
    Operand explicit = explicit(node);
    if (explicit != null) {
      return explicit;
    }
    String name = Keys.name(reading, node, what);
    return name == null ? null : reading.placed(Operand.literal(name), node.place());
  }

  /** Where only an expression makes sense. Its place is that of its first character. */
  Operand.Expr expression(Node node) {
    if (node instanceof Node.Scalar scalar && scalar.kind() != Kind.NOTHING) {
      if (scalar.text().isBlank()) {
        reading.error(
            "wrong-type", node.place(), "Expected an expression, but the text is empty.", "");
      }
      return reading.placed(Operand.expr(scalar.text()), scalar.first());
    }
    reading.wrongType(
        node,
        "an expression",
        node instanceof Node.Scalar
            ? ""
            : "Put an expression that starts with a bracket into quotes.");
    return reading.placed(Operand.expr("null"), node.place());
  }

  /** {@code { expr: … }} or {@code { value: … }}; null for anything else. */
  private @Nullable Operand explicit(Node node) {
    Node expr = only(node, "expr");
    if (expr != null) {
      return expression(expr);
    }
    Node value = only(node, "value");
    return value == null ? null : literal(value);
  }

  /** The value of the key when it is the map's only one. */
  private static @Nullable Node only(Node node, String key) {
    return node instanceof Node.Mapping mapping
            && mapping.entries().size() == 1
            && mapping.entries().getFirst().key() instanceof Node.Scalar scalar
            && scalar.text().equals(key)
        ? mapping.entries().getFirst().value()
        : null;
  }

  Operand.Literal literal(Node node) {
    return reading.placed(Operand.literal(json(node)), node.place());
  }

  /** A JSON value as it is written. */
  @Nullable Object json(Node node) {
    return switch (node) {
      case Node.Sequence list -> {
        List<@Nullable Object> values = new ArrayList<>(list.items().size());
        for (Node item : list.items()) {
          values.add(json(item));
        }
        yield Collections.unmodifiableList(values);
      }
      case Node.Mapping _ -> {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (Keys.Named entry : Keys.named(reading, node, "a map")) {
          values.put(entry.name(), json(entry.value()));
        }
        yield Collections.unmodifiableMap(values);
      }
      case Node.Scalar scalar ->
          switch (scalar.kind()) {
            case TEXT -> scalar.text();
            case NOTHING -> null;
            case BOOL -> scalar.text().equalsIgnoreCase("true");
            case INT -> integer(scalar);
            case DOUBLE -> decimal(scalar);
          };
    };
  }

  private @Nullable Object integer(Node.Scalar scalar) {
    Long value = whole(scalar.text());
    if (value == null) {
      reading.error(
          "bad-number",
          scalar.place(),
          "Expected a whole number of 64 bits, but found a larger one.",
          "Write it as a text or with a decimal point.");
    }
    return value;
  }

  private @Nullable Object decimal(Node.Scalar scalar) {
    String text = scalar.text();
    boolean word = text.endsWith("n") || text.endsWith("N") || text.endsWith("f");
    if (!word && !text.endsWith("F") && text.length() <= LONGEST_NUMBER) {
      double value = Double.parseDouble(text);
      if (Double.isFinite(value)) {
        return value;
      }
    }
    reading.error(
        "bad-number",
        scalar.place(),
        "Expected a number that JSON can hold, but found " + Reading.shortened(text) + ".",
        "");
    return null;
  }

  /** The whole number, in any base of YAML; null when it has more than 64 bits. */
  static @Nullable Long whole(String text) {
    if (text.length() > LONGEST_NUMBER) {
      return null;
    }
    try {
      if (text.startsWith("0x")) {
        return Long.parseLong(text, 2, text.length(), 16);
      }
      if (text.startsWith("0o")) {
        return Long.parseLong(text, 2, text.length(), 8);
      }
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** A duration as written, or null and a problem. */
  @Nullable Duration duration(Node node) {
    if (node instanceof Node.Scalar scalar && !node.isNothing()) {
      Optional<Duration> duration = Durations.parse(scalar.text());
      if (duration.isPresent()) {
        return duration.get();
      }
      badDuration(node.place(), scalar.text());
      return null;
    }
    reading.wrongType(node, "a duration", "");
    return null;
  }

  void badDuration(Place place, String text) {
    reading.error(
        "bad-duration",
        place,
        "Expected a duration, but found '" + Reading.shortened(text) + "'.",
        "Durations look like 250ms, 90s, 5m, 24h, 7d or 1h30m.");
  }

  /** A delay: a duration, whole milliseconds, or an expression for either. */
  @Nullable Operand delay(Node node) {
    Node expr = only(node, "expr");
    if (expr != null) {
      return expression(expr);
    }
    if (!(node instanceof Node.Scalar scalar)) {
      reading.wrongType(node, "a duration or an expression for milliseconds", "");
      return null;
    }
    return switch (scalar.kind()) {
      case INT -> {
        Long millis = whole(scalar.text());
        if (millis == null || millis < 0 || millis > 1_000_000_000_000_000L) {
          badDuration(node.place(), scalar.text());
          yield null;
        }
        yield reading.placed(Operand.literal(Duration.ofMillis(millis)), node.place());
      }
      case TEXT -> {
        Optional<Duration> duration = Durations.parse(scalar.text());
        if (duration.isPresent()) {
          yield reading.placed(Operand.literal(duration.get()), node.place());
        }
        if (looksLikeDuration(scalar.text())) {
          badDuration(node.place(), scalar.text());
          yield null;
        }
        yield expression(node);
      }
      case NOTHING, BOOL, DOUBLE -> {
        badDuration(node.place(), scalar.text());
        yield null;
      }
    };
  }

  /** Whether a delay's text is read as an expression. */
  static boolean isComputedDelay(String text) {
    return !text.isBlank() && Durations.parse(text).isEmpty() && !looksLikeDuration(text);
  }

  /** Whether the text is digits and then letters, which no expression is. */
  private static boolean looksLikeDuration(String text) {
    int at = 0;
    while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
      at++;
    }
    int digits = at;
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
    return digits > 0
        && at < text.length()
        && text.substring(at).chars().allMatch(c -> Character.isLetterOrDigit(c) || c == ' ');
  }

  /** Named values, or one value as a whole. */
  Payload payload(@Nullable Node node) {
    if (node == null) {
      return Payload.NONE;
    }
    Node content = only(node, "content");
    if (content != null) {
      return new Payload(List.of(), value(content));
    }
    List<Payload.Param> params = new ArrayList<>();
    switch (node) {
      case Node.Mapping map -> addParams(map, params);
      case Node.Sequence list -> {
        for (Node item : list.items()) {
          addParams(item, params);
        }
      }
      case Node.Scalar _ ->
          reading.wrongType(
              node, "a map of named values", "Write one value as { content: value }.");
    }
    return new Payload(params, null);
  }

  private void addParams(Node node, List<Payload.Param> params) {
    for (Keys.Named entry : Keys.named(reading, node, "a map of named values")) {
      Node location = only(entry.value(), "location");
      if (location == null) {
        params.add(Payload.Param.of(entry.name(), value(entry.value())));
        continue;
      }
      String path = Keys.name(reading, location, "the path of a context field");
      if (path != null) {
        Operand operand = reading.placed(Operand.literal(path), location.place());
        params.add(new Payload.Param(entry.name(), operand, true));
      }
    }
  }
}
