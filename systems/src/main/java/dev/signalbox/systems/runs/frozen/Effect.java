package dev.signalbox.systems.runs.frozen;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What an action does to the world. */
public enum Effect {
  READ,
  WRITE,
  NETWORK,
  DEPLOY,
  SECURITY,
  DATA;

  static final List<String> WORDS = Arrays.stream(values()).map(Effect::word).toList();

  /** As graphs write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether something is different afterwards. */
  boolean isWriting() {
    return this != READ && this != NETWORK;
  }
}
