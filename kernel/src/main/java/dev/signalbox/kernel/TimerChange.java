package dev.signalbox.kernel;

/** What a step did to the timers. */
public sealed interface TimerChange {
  /** A timer is pending from now on. */
  record Scheduled(Timer timer) implements TimerChange {}

  /** A timer was taken back before it was due. */
  record Cancelled(String id) implements TimerChange {}

  /** A timer was due, and this step is what it did. */
  record Fired(String id) implements TimerChange {}
}
