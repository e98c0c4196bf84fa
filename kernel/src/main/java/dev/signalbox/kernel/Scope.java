package dev.signalbox.kernel;

import org.jspecify.annotations.Nullable;

/**
 * What an expression can see.
 *
 * @param context the instance's data, foreach variables included
 * @param event the event being processed; null while an instance starts
 * @param now the time of the step, in milliseconds since 1970
 * @param bytes about what a value that an expression makes may take as JSON
 */
public record Scope(
    Chart chart,
    String instance,
    Configuration configuration,
    Context context,
    @Nullable Event event,
    long now,
    long bytes) {

  /** A scope in which values may be as large as the machine's context. */
  public Scope(
      Chart chart,
      String instance,
      Configuration configuration,
      Context context,
      @Nullable Event event,
      long now) {
    this(
        chart, instance, configuration, context, event, now, chart.machine.limits().contextBytes());
  }

  /** Whether the state is active. */
  public boolean in(String state) {
    return configuration.contains(state);
  }
}
