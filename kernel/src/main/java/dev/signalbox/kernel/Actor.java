package dev.signalbox.kernel;

import java.util.List;

/** Who caused an event. */
public record Actor(Kind kind, String name, List<String> roles) {

  public static final Actor TIMER = new Actor(Kind.TIMER, "timer", List.of());
  public static final Actor SYSTEM = new Actor(Kind.SYSTEM, "system", List.of());

  public Actor {
    roles = List.copyOf(roles);
  }

  /** What kind of actor it is. */
  public enum Kind {
    USER,
    AGENT,
    SYSTEM,
    TIMER
  }
}
