package dev.signalbox.services.approval;

import dev.signalbox.kernel.Actor;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One link of the chain of who asked whom.
 *
 * @param instance in which it asked, or an empty text
 */
public record Asker(Actor.Kind kind, String name, String instance) {

  public Asker {
    Limits.text(name, "the name of who asks");
  }

  public static Asker of(Actor actor) {
    return new Asker(actor.kind(), actor.name(), "");
  }

  /** The same, asking in that instance. */
  public Asker in(String instanceId) {
    return new Asker(kind, name, instanceId);
  }

  Map<String, Object> asMap() {
    return Map.of("kind", word(kind), "name", name, "instance", instance);
  }

  static Asker from(Map<?, ?> map) {
    return new Asker(
        Actor.Kind.valueOf(text(map.get("kind")).toUpperCase(Locale.ROOT)),
        text(map.get("name")),
        text(map.get("instance")));
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString();
  }

  static String word(Actor.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** As people read it, such as {@code agent planner}. */
  @Override
  public String toString() {
    return word(kind) + " " + name;
  }
}
