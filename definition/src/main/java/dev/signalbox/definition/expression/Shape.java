package dev.signalbox.definition.expression;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a value before there is one.
 *
 * @param item of a list's items or a map's values; null means nothing is known
 * @param fields of an object
 * @param values the only values possible; empty means no restriction
 * @param nullable whether the value may be null
 */
record Shape(
    Kind kind,
    @Nullable Shape item,
    Map<String, Shape> fields,
    List<Object> values,
    boolean nullable) {

  static final Shape ANY = of(Kind.ANY);
  static final Shape NULL = of(Kind.NULL);
  static final Shape BOOL = of(Kind.BOOL);
  static final Shape INT = of(Kind.INT);
  static final Shape DOUBLE = of(Kind.DOUBLE);
  static final Shape STRING = of(Kind.STRING);
  static final Shape TIMESTAMP = of(Kind.TIMESTAMP);
  static final Shape DURATION = of(Kind.DURATION);
  static final Shape FOREIGN = of(Kind.FOREIGN);
  static final Shape ACTOR =
      new Shape(
          Kind.OBJECT,
          null,
          Map.of(
              "name",
              STRING,
              "kind",
              new Shape(
                  Kind.STRING, null, Map.of(), List.of("user", "agent", "system", "timer"), false),
              "roles",
              list(STRING)),
          List.of(),
          false);

  /** The types of CEL that matter; the foreign ones are checked by CEL alone. */
  enum Kind {
    ANY("of any type"),
    NULL("null"),
    BOOL("a bool"),
    INT("an int"),
    DOUBLE("a double"),
    STRING("a string"),
    LIST("a list"),
    MAP("a map"),
    OBJECT("an object"),
    TIMESTAMP("a timestamp"),
    DURATION("a duration"),
    FOREIGN("of another type");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  static Shape of(Kind kind) {
    return new Shape(kind, null, Map.of(), List.of(), false);
  }

  static Shape list(@Nullable Shape item) {
    return new Shape(Kind.LIST, item, Map.of(), List.of(), false);
  }

  static Shape map(@Nullable Shape item) {
    return new Shape(Kind.MAP, item, Map.of(), List.of(), false);
  }

  static Shape of(@Nullable Type type) {
    if (type == null) {
      return ANY;
    }
    Map<String, Shape> fields = new LinkedHashMap<>();
    type.fields().forEach((name, field) -> fields.put(name, of(field)));
    Kind kind =
        switch (type.kind()) {
          case ANY -> Kind.ANY;
          case BOOL -> Kind.BOOL;
          case INT -> Kind.INT;
          case DOUBLE -> Kind.DOUBLE;
          case STRING -> Kind.STRING;
          case LIST -> Kind.LIST;
          case MAP -> Kind.MAP;
          // An object that names no fields may have any.
          case OBJECT -> fields.isEmpty() ? Kind.MAP : Kind.OBJECT;
        };
    Shape item = type.item() == null ? null : of(type.item());
    return new Shape(kind, item, fields, type.values(), type.optional());
  }

  static Shape of(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case Boolean _ -> BOOL;
      case Long _ -> INT;
      case Double _ -> DOUBLE;
      case String _ -> STRING;
      default -> ANY;
    };
  }

  /**
   * The data of an event that matches one of the descriptors: what the machine declares for the
   * events of these names, or anything when one of them is not declared.
   */
  static Shape ofEvents(List<String> descriptors, List<EventType> declared) {
    Shape union = null;
    for (String descriptor : descriptors) {
      String name = descriptor.replaceFirst("\\.?\\*?$", "");
      EventType type =
          declared.stream().filter(e -> e.name().equals(name)).findFirst().orElse(null);
      if (type == null || type.data() == null) {
        return ANY;
      }
      Shape data = of(type.data());
      union = union == null ? data : union.either(data);
    }
    return union == null ? ANY : union;
  }

  boolean isAny() {
    return kind == Kind.ANY || kind == Kind.FOREIGN;
  }

  boolean is(Kind wanted) {
    return kind == wanted || isAny();
  }

  boolean isNumber() {
    return is(Kind.INT) || kind == Kind.DOUBLE;
  }

  boolean isCollection() {
    return is(Kind.LIST) || isFields();
  }

  boolean isFields() {
    return is(Kind.MAP) || kind == Kind.OBJECT;
  }

  /** The shape of an item of a list or a value of a map. */
  Shape itemOrAny() {
    return item == null ? ANY : item;
  }

  /** The shape of what may be the one or the other; an object then has the fields of both. */
  Shape either(Shape other) {
    if (kind == Kind.NULL) {
      return other.orNull();
    }
    if (other.kind == Kind.NULL) {
      return orNull();
    }
    if (kind != other.kind) {
      return ANY;
    }
    boolean eitherNull = nullable || other.nullable;
    Shape items = item == null || other.item == null ? null : item.either(other.item);
    Map<String, Shape> all = new LinkedHashMap<>(fields);
    other.fields.forEach((name, field) -> all.merge(name, field, Shape::either));
    List<Object> both = new ArrayList<>();
    if (!values.isEmpty() && !other.values.isEmpty()) {
      both.addAll(values);
      other.values.stream().filter(v -> !both.contains(v)).forEach(both::add);
    }
    return new Shape(kind, items, all, both, eitherNull);
  }

  private Shape orNull() {
    return new Shape(kind, item, fields, values, true);
  }

  /** The declared type that comes closest. */
  Type type() {
    Type.Kind same =
        switch (kind) {
          case ANY, NULL, FOREIGN -> Type.Kind.ANY;
          case BOOL -> Type.Kind.BOOL;
          case INT, TIMESTAMP, DURATION -> Type.Kind.INT;
          case DOUBLE -> Type.Kind.DOUBLE;
          case STRING -> Type.Kind.STRING;
          case LIST -> Type.Kind.LIST;
          case MAP -> Type.Kind.MAP;
          case OBJECT -> Type.Kind.OBJECT;
        };
    Map<String, Type> typed = new LinkedHashMap<>();
    fields.forEach((name, field) -> typed.put(name, field.type()));
    return new Type(same, item == null ? null : item.type(), typed, values, nullable);
  }
}
