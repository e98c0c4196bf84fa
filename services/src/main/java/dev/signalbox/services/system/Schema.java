package dev.signalbox.services.system;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON Schema as OpenAPI 3.1 has it, built in Java. */
public record Schema(Map<String, Object> value) {
  public static final Schema ANY = new Schema(Map.of());
  public static final Schema TEXT = of("string");
  public static final Schema WHOLE = of("integer");
  public static final Schema FLAG = of("boolean");
  public static final Schema OBJECT = of("object");

  public Schema {
    value = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(value));
  }

  public static Schema of(String type) {
    return new Schema(Map.of("type", type));
  }

  /** One of the schemas that the document names. */
  public static Schema named(String name) {
    return new Schema(Map.of("$ref", "#/components/schemas/" + name));
  }

  public static Schema listOf(Schema item) {
    return of("array").put("items", item.value);
  }

  public static Schema mapOf(Schema item) {
    return OBJECT.put("additionalProperties", item.value);
  }

  public static Schema oneOf(String... words) {
    return TEXT.put("enum", List.of(words));
  }

  /** An object without fields yet; {@link #field} adds them. */
  public static Schema object() {
    return OBJECT;
  }

  /** With a field that is always there. */
  public Schema field(String name, Schema type) {
    List<Object> required = new ArrayList<>((List<?>) value.getOrDefault("required", List.of()));
    required.add(name);
    return maybe(name, type).put("required", required);
  }

  /** With a field that may be absent. */
  public Schema maybe(String name, Schema type) {
    Map<String, Object> properties = new LinkedHashMap<>();
    ((Map<?, ?>) value.getOrDefault("properties", Map.of()))
        .forEach((key, property) -> properties.put(String.valueOf(key), property));
    properties.put(name, type.value);
    return put("properties", properties);
  }

  public Schema orNull() {
    return value.get("type") instanceof String type
        ? put("type", List.of(type, "null"))
        : new Schema(Map.of("anyOf", List.of(value, Map.of("type", "null"))));
  }

  public Schema described(String text) {
    return put("description", text);
  }

  public Schema put(String key, Object item) {
    Map<String, Object> more = new LinkedHashMap<>(value);
    more.put(key, item);
    return new Schema(more);
  }
}
