package dev.signalbox.services.task;

import java.util.List;
import java.util.Locale;

/** How soon a task should be done. */
public enum Priority {
  HIGH(0),
  NORMAL(1),
  LOW(2);

  private final int level;

  Priority(int level) {
    this.level = level;
  }

  /** How many priorities go before it. */
  int level() {
    return level;
  }

  /** The priorities below it, the lowest first. */
  List<Priority> lower() {
    return switch (this) {
      case HIGH -> List.of(LOW, NORMAL);
      case NORMAL -> List.of(LOW);
      case LOW -> List.of();
    };
  }

  /** The priority as machines and JSON write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Priority of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
