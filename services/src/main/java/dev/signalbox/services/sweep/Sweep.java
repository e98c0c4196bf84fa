package dev.signalbox.services.sweep;

import org.jspecify.annotations.Nullable;

/** Looks for one kind of trouble. */
public interface Sweep {
  /** The trouble in a word. */
  String kind();

  /** What is wrong with the instance, or null. */
  @Nullable Finding look(Subject subject);
}
