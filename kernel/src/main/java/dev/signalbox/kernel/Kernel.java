package dev.signalbox.kernel;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The step as a pure function. */
public final class Kernel {
  private Kernel() {}

  /**
   * Enters a machine's initial states.
   *
   * @param input values for declared context fields; they win over the declared ones
   */
  public static Answer start(
      Chart chart,
      String instance,
      @Nullable String parent,
      Map<String, ? extends @Nullable Object> input,
      long now) {
    throw new UnsupportedOperationException();
  }

  /** Processes one event until the machine is at rest. */
  public static Answer step(Chart chart, Snapshot before, Event event, long now) {
    throw new UnsupportedOperationException();
  }

  /** Processes a pending timer that is due. */
  public static Answer fire(Chart chart, Snapshot before, String timerId, long now) {
    throw new UnsupportedOperationException();
  }
}
