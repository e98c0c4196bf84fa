package dev.signalbox.services.notification;

import java.util.Locale;

/** Whom a notification is for. */
public enum Audience {
  /** People: what changed for them, what needs them, what went wrong. */
  USER,
  /** Other parts and other systems: every transition, timers that fired, what was refused. */
  SYSTEM,
  /** The record for those who answer for it: when, what triggered it, and who. */
  AUDIT;

  /** The audience as texts and JSON write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The audience of a word.
   *
   * @throws IllegalArgumentException when there is none
   */
  public static Audience of(String word) {
    for (Audience audience : values()) {
      if (audience.word().equals(word)) {
        return audience;
      }
    }
    throw new IllegalArgumentException(
        "Expected an audience (user, system or audit), but found '%s'.".formatted(word));
  }
}
