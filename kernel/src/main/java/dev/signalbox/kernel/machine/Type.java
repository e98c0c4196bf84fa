package dev.signalbox.kernel.machine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The type of a context field or of a part of an event's data.
 *
 * @param item the type of a list's items or a map's values; null means any
 * @param fields the fields of an object, in order; empty for every other kind
 * @param values the only values allowed; empty means no restriction
 * @param optional whether the value may be absent or null
 */
public record Type(
    Kind kind,
    @Nullable Type item,
    Map<String, Type> fields,
    List<Object> values,
    boolean optional) {

  public static final Type ANY = of(Kind.ANY);
  public static final Type BOOL = of(Kind.BOOL);
  public static final Type INT = of(Kind.INT);
  public static final Type DOUBLE = of(Kind.DOUBLE);
  public static final Type STRING = of(Kind.STRING);
  public static final Type LIST = of(Kind.LIST);
  public static final Type MAP = of(Kind.MAP);

  public Type {
    fields = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    values = List.copyOf(values);
  }

  public static Type of(Kind kind) {
    return new Type(kind, null, Map.of(), List.of(), false);
  }

  public static Type object(Map<String, Type> fields) {
    return new Type(Kind.OBJECT, null, fields, List.of(), false);
  }

  public static Type listOf(Type item) {
    return new Type(Kind.LIST, item, Map.of(), List.of(), false);
  }

  public static Type mapOf(Type item) {
    return new Type(Kind.MAP, item, Map.of(), List.of(), false);
  }

  public Type orAbsent() {
    return new Type(kind, item, fields, values, true);
  }

  public Type oneOf(List<Object> allowed) {
    return new Type(kind, item, fields, allowed, optional);
  }

  /** The kinds of JSON value; integers and other numbers are apart, as in CEL. */
  public enum Kind {
    ANY,
    BOOL,
    INT,
    DOUBLE,
    STRING,
    LIST,
    MAP,
    OBJECT
  }
}
