package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes events from choices for their parts; what nobody chose gets a value of its type. */
final class Assembly {
  private static final int DEEPEST = 8;

  private final Collection<Path> paths;
  private final @Nullable Type data;
  private final List<String> roles;

  Assembly(Collection<Path> paths, @Nullable EventType type) {
    this.paths = paths;
    this.data = type == null ? null : type.data();
    this.roles = type == null ? List.of() : type.roles();
  }

  Witnesses.Candidate candidate(Map<Path, Choice> choices) {
    Object made = value(new Path(Node.Name.EVENT, List.of()), data, choices, 0);
    return new Witnesses.Candidate(made == null ? Map.of() : made, actor(choices));
  }

  private Actor actor(Map<Path, Choice> choices) {
    Path root = new Path(Node.Name.ACTOR, List.of());
    Choice wanted = choices.get(root.with("kind"));
    Actor.Kind kind =
        Arrays.stream(Actor.Kind.values())
            .filter(k -> fits(Roots.kind(k), wanted))
            .findFirst()
            .orElse(Actor.Kind.USER);
    String name =
        switch (choices.get(root.with("name"))) {
          case Choice.Exactly(String text) -> text;
          case Choice.Sample(int number) -> "actor-" + number;
          case Choice.Other(List<?> excluded) -> String.valueOf(other(Type.STRING, excluded, 0));
          case null, default -> "actor";
        };
    List<String> held = new ArrayList<>(roles);
    if (choices.get(root.with("roles")) instanceof Choice.Exactly(List<?> more)) {
      more.stream().map(String::valueOf).filter(r -> !held.contains(r)).forEach(held::add);
    }
    return new Actor(kind, name, held);
  }

  private static boolean fits(String kind, @Nullable Choice wanted) {
    return switch (wanted) {
      case Choice.Exactly(Object value) -> kind.equals(value);
      case Choice.Other(List<?> excluded) -> !excluded.contains(kind);
      case null, default -> true;
    };
  }

  /**
   * @param turn which item of a list it is for, so that items differ
   */
  private @Nullable Object value(
      Path path, @Nullable Type type, Map<Path, Choice> choices, int turn) {
    Choice choice = choices.get(path);
    if (choice instanceof Choice.Exactly(Object exactly)) {
      return exactly;
    }
    if (choice instanceof Choice.Each(List<?> values)) {
      return values.get(turn % values.size());
    }
    Set<String> fields = below(path);
    if (choice instanceof Choice.Sized(int size) && !fields.contains(Path.ITEM)) {
      return sized(type, size);
    }
    if (fields.contains(Path.ITEM)) {
      int size = choice instanceof Choice.Sized(int wanted) ? wanted : 1;
      Type item = type == null ? null : type.item();
      List<@Nullable Object> list = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        list.add(value(path.with(Path.ITEM), item, choices, i));
      }
      return Collections.unmodifiableList(list);
    }
    boolean object = type != null && type.kind() == Type.Kind.OBJECT;
    if (!fields.isEmpty() || object) {
      return object(path, type, fields, choices, turn);
    }
    if (choice instanceof Choice.Other(List<?> excluded)) {
      return other(type, excluded, turn);
    }
    int number = choice instanceof Choice.Sample(int wanted) ? wanted : 1;
    return path.fields().isEmpty() && type == null ? null : sample(type, number + turn, 0);
  }

  private Map<String, @Nullable Object> object(
      Path path, @Nullable Type type, Set<String> mentioned, Map<Path, Choice> choices, int turn) {
    Map<String, @Nullable Object> map = new TreeMap<>();
    Map<String, Type> declared = type == null ? Map.of() : type.fields();
    declared.forEach((name, field) -> {
      if (!field.optional()) {
        map.put(name, sample(field, 1, 0));
      }
    });
    for (String field : mentioned) {
      Path inner = path.with(field);
      if (choices.get(inner) instanceof Choice.Missing) {
        map.remove(field);
      } else {
        Type item = type == null ? null : declared.getOrDefault(field, type.item());
        map.put(field, value(inner, item, choices, turn));
      }
    }
    return Collections.unmodifiableMap(map);
  }

  private Set<String> below(Path path) {
    Set<String> fields = new LinkedHashSet<>();
    for (Path each : paths) {
      if (each.fields().size() > path.fields().size() && each.startsWith(path)) {
        fields.add(each.fields().get(path.fields().size()));
      }
    }
    return fields;
  }

  /** A sample that is none of these, where the type has one. */
  private static Object other(@Nullable Type type, List<?> excluded, int turn) {
    Object sample = sample(type, 1 + turn, 0);
    for (int i = 1; i <= excluded.size() && excluded.contains(sample); i++) {
      sample = sample(type, 1 + turn + i, 0);
    }
    return sample;
  }

  private static Object sized(@Nullable Type type, int size) {
    Type.Kind kind = type == null ? Type.Kind.LIST : type.kind();
    return switch (kind) {
      case STRING -> "a".repeat(size);
      case MAP, OBJECT -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = 1; i <= size; i++) {
          map.put("k" + i, sample(type == null ? null : type.item(), i, 1));
        }
        yield map;
      }
      case ANY, BOOL, INT, DOUBLE, LIST -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = 1; i <= size; i++) {
          list.add(sample(type == null ? null : type.item(), i, 1));
        }
        yield list;
      }
    };
  }

  /** A value of the type; different numbers give different values where the type has several. */
  private static Object sample(@Nullable Type type, int number, int depth) {
    if (type != null && !type.values().isEmpty()) {
      return type.values().get((number - 1) % type.values().size());
    }
    Type.Kind kind = type == null ? Type.Kind.ANY : type.kind();
    return switch (kind) {
      case ANY, STRING -> "v" + number;
      case BOOL -> number % 2 == 1;
      case INT -> (long) number;
      case DOUBLE -> number - 0.5;
      case LIST -> {
        Type item = type == null ? null : type.item();
        yield number == 1 && depth < DEEPEST ? List.of(sample(item, 1, depth + 1)) : List.of();
      }
      case MAP -> Map.of();
      case OBJECT -> {
        Map<String, Object> map = new TreeMap<>();
        if (type != null && depth < DEEPEST) {
          type.fields()
              .forEach((name, field) -> {
                if (!field.optional()) {
                  map.put(name, sample(field, number, depth + 1));
                }
              });
        }
        yield Collections.unmodifiableMap(map);
      }
    };
  }
}
