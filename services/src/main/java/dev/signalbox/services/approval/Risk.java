package dev.signalbox.services.approval;

import java.util.Locale;

/** How bad it may get. */
public enum Risk {
  LOW,
  MEDIUM,
  HIGH,
  CRITICAL;

  /** As JSON and the machine write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The risk of that word.
   *
   * @throws IllegalArgumentException when it is no such word
   */
  public static Risk of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
