package dev.signalbox.definition.yaml;

import dev.signalbox.definition.Suggestion;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads types, the fields of the context and what is known about events. */
final class TypeReader {
  private static final Map<String, Type.Kind> KINDS = new LinkedHashMap<>();

  static {
    for (Type.Kind kind : Type.Kind.values()) {
      KINDS.put(word(kind), kind);
    }
  }

  private static final Set<String> TYPE_KEYS =
      ordered("type", "items", "fields", "values", "optional");
  private static final Set<String> FIELD_KEYS =
      ordered(
          "type",
          "items",
          "fields",
          "values",
          "optional",
          "default",
          "compute",
          "personal",
          "searchable",
          "own");
  private static final Set<String> EVENT_KEYS =
      ordered("description", "data", "data_type", "roles");

  private final Reading reading;
  private final Values values;

  TypeReader(Reading reading) {
    this.reading = reading;
    this.values = new Values(reading);
  }

  static String word(Type.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  static Set<String> ordered(String... keys) {
    return new LinkedHashSet<>(List.of(keys));
  }

  List<Field> fields(@Nullable Node node) {
    List<Field> fields = new ArrayList<>();
    if (node != null) {
      for (Keys.Named named : Keys.named(reading, node, "a map of context fields")) {
        if (Names.isGood(reading, named, "the name of a context field")) {
          fields.add(reading.placed(field(named), named.place()));
        }
      }
    }
    return fields;
  }

  private Field field(Keys.Named named) {
    if (named.value() instanceof Node.Scalar) {
      return Field.of(named.name(), type(named.value()), null);
    }
    Keys keys = Keys.of(reading, named.value(), "a context field", FIELD_KEYS);
    if (keys == null) {
      return Field.of(named.name(), Type.ANY, null);
    }
    Node initial = keys.node("default");
    Node compute = keys.node("compute");
    if (initial != null && compute != null) {
      Conflicts.report(reading, keys, "compute", "default");
    }
    Operand operand =
        initial != null
            ? values.literal(initial)
            : compute != null ? values.expression(compute) : null;
    return new Field(
        named.name(),
        type(keys),
        operand,
        keys.flag("personal"),
        keys.flag("searchable"),
        keys.flag("own"));
  }

  Type type(Node node) {
    if (node instanceof Node.Scalar) {
      return Type.of(kind(node));
    }
    Keys keys = Keys.of(reading, node, "a type", TYPE_KEYS);
    return keys == null ? Type.ANY : type(keys);
  }

  private Type type(Keys keys) {
    Node kindNode = keys.required("type", "a type");
    Type.Kind kind = kindNode == null ? Type.Kind.ANY : kind(kindNode);
    Node items = keys.node("items");
    if (items != null && kind != Type.Kind.LIST && kind != Type.Kind.MAP) {
      Conflicts.report(reading, keys, "items", "type: " + word(kind));
    }
    Node fields = keys.node("fields");
    if (fields != null && kind != Type.Kind.OBJECT) {
      Conflicts.report(reading, keys, "fields", "type: " + word(kind));
    }
    List<Object> allowed = new ArrayList<>();
    Node valuesNode = keys.node("values");
    if (valuesNode != null) {
      for (Node item : Keys.items(reading, valuesNode, "a list of values")) {
        Object value = values.json(item);
        if (value != null) {
          allowed.add(value);
        } else if (item.isNothing()) {
          reading.wrongType(item, "a value", "Write 'optional: true' to let it be absent.");
        }
      }
    }
    return new Type(
        kind,
        items == null ? null : type(items),
        fields == null ? Map.of() : fieldTypes(fields),
        allowed,
        keys.flag("optional"));
  }

  private Type.Kind kind(Node node) {
    String name = Keys.name(reading, node, "a type");
    if (name == null) {
      return Type.Kind.ANY;
    }
    Type.Kind kind = KINDS.get(name);
    if (kind != null) {
      return kind;
    }
    String guess = Suggestion.hint(name, KINDS.keySet());
    reading.error(
        "unknown-type",
        node.place(),
        "Expected a type, but found '" + Reading.shortened(name) + "'.",
        guess.isEmpty() ? "Types: " + String.join(", ", KINDS.keySet()) + "." : guess);
    return Type.Kind.ANY;
  }

  private Map<String, Type> fieldTypes(Node node) {
    return Keys.named(reading, node, "a map of field types").stream()
        .collect(
            Collectors.toMap(
                Keys.Named::name, n -> type(n.value()), (a, b) -> a, LinkedHashMap::new));
  }

  List<EventType> events(@Nullable Node node) {
    List<EventType> events = new ArrayList<>();
    if (node != null) {
      for (Keys.Named named : Keys.named(reading, node, "a map of events")) {
        if (Names.isGood(reading, named, "the name of an event")) {
          events.add(reading.placed(event(named), named.place()));
        }
      }
    }
    return events;
  }

  private EventType event(Keys.Named named) {
    Keys keys =
        named.value().isNothing() ? null : Keys.of(reading, named.value(), "an event", EVENT_KEYS);
    if (keys == null) {
      return new EventType(named.name(), null, null, List.of());
    }
    Node data = keys.node("data");
    Node dataType = keys.node("data_type");
    if (data != null && dataType != null) {
      Conflicts.report(reading, keys, "data_type", "data");
    }
    Type type =
        data != null ? Type.object(fieldTypes(data)) : dataType != null ? type(dataType) : null;
    Node roles = keys.node("roles");
    return new EventType(
        named.name(),
        keys.text("description"),
        type,
        roles == null ? List.of() : Keys.names(reading, roles, "the name of a role"));
  }
}
