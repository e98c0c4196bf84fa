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

  /** Somebody of whom the name alone is known. */
  static Asker named(String name) {
    return new Asker(Actor.Kind.SYSTEM, name, "");
  }

  /** The link that a store has, whoever wrote it; null when it is none. */
  static @Nullable Asker recorded(@Nullable Object link) {
    return switch (link) {
      case String name -> named(name);
      case Map<?, ?> map ->
          new Asker(kind(map.get("kind")), text(map.get("name")), text(map.get("instance")));
      case null, default -> null;
    };
  }

  private static Actor.Kind kind(@Nullable Object word) {
    for (Actor.Kind kind : Actor.Kind.values()) {
      if (word(kind).equals(word)) {
        return kind;
      }
    }
    return Actor.Kind.SYSTEM;
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
