package dev.signalbox.definition.expression;

import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Scope;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of the names that are always there. */
final class Roots {
  /** The type of SCXML's own event processor. */
  static final String PROCESSOR = "http://www.w3.org/TR/scxml/#SCXMLEventProcessor";

  private Roots() {}

  static @Nullable Object value(Node.Name name, Scope scope, Declarations declared) {
    return switch (name) {
      case CONTEXT, DATA -> context(scope.context(), declared);
      case EVENT -> event(scope.event());
      case ACTOR -> actor(scope.event());
      case NOW -> scope.now();
      case ID, SESSION -> scope.instance();
      case SYSTEM_EVENT -> systemEvent(scope.event());
      case MACHINE_NAME -> declared.machine();
      case PROCESSORS -> processors(scope.instance());
      case PLATFORM -> Map.of();
    };
  }

  /** The fields that have a value; in strict mode without the variables of foreach loops. */
  private static Map<String, @Nullable Object> context(Context context, Declarations declared) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < context.layout().size(); i++) {
      Object value = context.slot(i);
      String name = context.layout().name(i);
      if (value != Context.ABSENT && (!declared.strict() || declared.fields().containsKey(name))) {
        map.putIfAbsent(name, value);
      }
    }
    return Collections.unmodifiableMap(map);
  }

  /** The data of the event; an event without data, or none at all, has no fields. */
  private static Object event(@Nullable Event event) {
    Object data = event == null ? null : event.data();
    return data == null ? Map.of() : data;
  }

  /** Who sent the event; has no fields when nobody did. */
  static Map<String, Object> actor(@Nullable Event event) {
    Actor actor = event == null ? null : event.actor();
    return actor == null
        ? Map.of()
        : Map.of("name", actor.name(), "kind", kind(actor.kind()), "roles", actor.roles());
  }

  static String kind(Actor.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** SCXML 5.10.1: the event with all its fields, those that do not apply without a value. */
  private static @Nullable Object systemEvent(@Nullable Event event) {
    if (event == null) {
      return null;
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("name", event.name());
    map.put("type", event.kind().word());
    map.put("sendid", event.sendId());
    map.put("origin", event.origin());
    map.put("origintype", event.originType());
    map.put("invokeid", event.invokeId());
    map.put("data", event.data());
    return Collections.unmodifiableMap(map);
  }

  private static Map<String, Object> processors(String session) {
    Map<String, Object> here = Map.of("location", "#_scxml_" + session);
    return Map.of(PROCESSOR, here, "scxml", here);
  }
}
