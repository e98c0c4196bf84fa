package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the declared types say about the values of terms. */
final class Typing {
  private final Map<String, Type> fields = new HashMap<>();
  private final Map<String, Type> events = new HashMap<>();
  private final boolean strict;

  Typing(Machine machine) {
    strict = machine.mode() == Machine.Mode.STRICT;
    for (Field field : machine.context()) {
      fields.put(field.name(), field.type());
    }
    for (EventType event : machine.events()) {
      Type data = event.data();
      if (data != null) {
        events.put(event.name(), data);
      }
    }
  }

  /**
   * The values a term can have.
   *
   * @param event the one event that can be current; null when there may be others
   */
  Domain domain(Term term, @Nullable String event) {
    if (!strict) {
      return Domain.ANYTHING; // Outside strict mode nothing holds a value to its type.
    }
    if (term.size()) {
      return Domain.SIZE;
    }
    if (term.isSum()) {
      return Knowledge.added(term.parts(), part -> domain(part, event));
    }
    Type type = type(term.path(), event);
    return type == null ? Domain.ANYTHING : domain(type);
  }

  /** The declared type at a path such as {@code ctx.a.b}, or null. */
  @Nullable Type type(List<String> path, @Nullable String event) {
    if (path.size() < 2) {
      return null;
    }
    Type at =
        switch (path.getFirst()) {
          case "ctx" -> fields.get(path.get(1));
          case "event" -> event == null ? null : field(events.get(event), path.get(1));
          default -> null;
        };
    for (String name : path.subList(2, path.size())) {
      at = field(at, name);
    }
    return at;
  }

  @Nullable Type dataOf(String event) {
    return events.get(event);
  }

  private static @Nullable Type field(@Nullable Type type, String name) {
    if (type == null) {
      return null;
    }
    return switch (type.kind()) {
      case OBJECT -> type.fields().get(name);
      case MAP -> type.item();
      case ANY, BOOL, INT, DOUBLE, STRING, LIST -> null;
    };
  }

  private static Domain domain(Type type) {
    if (!type.values().isEmpty()) {
      Set<@Nullable Object> allowed = new LinkedHashSet<>(type.values());
      if (type.optional()) {
        allowed.add(null);
      }
      return Domain.ANYTHING.among(allowed);
    }
    if (type.optional()) {
      return Domain.ANYTHING;
    }
    return switch (type.kind()) {
      case BOOL -> Domain.BOOLEAN;
      case INT -> Domain.WHOLE;
      case ANY, DOUBLE, STRING, LIST, MAP, OBJECT -> Domain.ANYTHING;
    };
  }
}
