package dev.signalbox.definition.yaml;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes types, fields and events; the counterpart of {@link TypeReader}. */
final class TypeWriter {
  private final ValueWriter values;

  TypeWriter(ValueWriter values) {
    this.values = values;
  }

  /** Null for no fields. */
  @Nullable Part fields(List<Field> fields) {
    Part.Builder map = new Part.Builder();
    for (Field field : fields) {
      map.put(field.name(), field(field));
    }
    return fields.isEmpty() ? null : new Part.Entries(map.entries(), true);
  }

  private Part field(Field field) {
    Part.Builder map = new Part.Builder();
    putType(map, field.type());
    switch (field.initial()) {
      case null -> {}
      case Operand.Literal(Object value) -> map.put("default", values.json(value));
      case Operand.Expr expression -> map.put("compute", values.condition(expression));
    }
    map.flag("personal", field.personal())
        .flag("searchable", field.searchable())
        .flag("own", field.own());
    return shortened(map);
  }

  Part type(Type type) {
    Part.Builder map = new Part.Builder();
    putType(map, type);
    return shortened(map);
  }

  /** A type that is only its kind is written as that word. */
  private static Part shortened(Part.Builder map) {
    return map.entries().size() == 1 ? map.entries().getFirst().value() : map.flow();
  }

  private void putType(Part.Builder map, Type type) {
    Type item = type.item();
    map.put("type", TypeReader.word(type.kind()))
        .put("items", item == null ? null : type(item))
        .put("fields", type.fields().isEmpty() ? null : types(type.fields()))
        .put("values", type.values().isEmpty() ? null : values.json(type.values()))
        .flag("optional", type.optional());
  }

  private Part types(Map<String, Type> fields) {
    Part.Builder map = new Part.Builder();
    fields.forEach((name, type) -> map.put(name, type(type)));
    return map.flow();
  }

  /** Null for no events. */
  @Nullable Part events(List<EventType> events) {
    Part.Builder map = new Part.Builder();
    for (EventType event : events) {
      map.put(event.name(), event(event));
    }
    return events.isEmpty() ? null : new Part.Entries(map.entries(), true);
  }

  private Part event(EventType event) {
    Part.Builder map = new Part.Builder().put("description", event.description());
    Type data = event.data();
    if (data != null) {
      boolean fieldsSayAll = data.equals(Type.object(data.fields()));
      map.put(
          fieldsSayAll ? "data" : "data_type", fieldsSayAll ? types(data.fields()) : type(data));
    }
    return map.put("roles", event.roles().isEmpty() ? null : Part.texts(event.roles())).flow();
  }
}
