package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads types: a kind's name, or JSON with the keys {@code type}, {@code items}, {@code fields},
 * {@code values} and {@code optional}.
 */
final class TypeReader {
  private final Reading in;

  TypeReader(Reading in) {
    this.in = in;
  }

  Type type(XmlElement.Attribute attribute) {
    Object form =
        attribute.value().startsWith("{") ? in.json(attribute) : attribute.value().strip();
    return type(form, attribute);
  }

  private Type type(@Nullable Object form, XmlElement.Attribute at) {
    if (form instanceof String name) {
      return Type.of(kind(name, at));
    }
    if (!(form instanceof Map<?, ?> map)) {
      problem(at, "a type's name or its parts", String.valueOf(form));
      return Type.ANY;
    }
    Type.Kind kind = kind(map.get("type") instanceof String name ? name : "", at);
    Type item = map.get("items") == null ? null : type(map.get("items"), at);
    Map<String, Type> fields = new LinkedHashMap<>();
    if (map.get("fields") instanceof Map<?, ?> parts) {
      parts.forEach((name, part) -> fields.put(String.valueOf(name), type(part, at)));
    }
    List<Object> values = new ArrayList<>();
    if (map.get("values") instanceof List<?> allowed) {
      for (Object value : allowed) {
        if (value == null) {
          problem(at, "values other than null", "null");
        } else {
          values.add(value);
        }
      }
    }
    return new Type(kind, item, fields, values, Boolean.TRUE.equals(map.get("optional")));
  }

  private Type.Kind kind(String name, XmlElement.Attribute at) {
    for (Type.Kind kind : Type.Kind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
        return kind;
      }
    }
    problem(at, "any, bool, int, double, string, list, map or object", "'" + name + "'");
    return Type.Kind.ANY;
  }

  private void problem(XmlElement.Attribute at, String expected, String found) {
    in.problems.error(
        "unknown-type",
        at.place(),
        "Expected a type: %s, but found %s.".formatted(expected, found),
        "");
  }
}
