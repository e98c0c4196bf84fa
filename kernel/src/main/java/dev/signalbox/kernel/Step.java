package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Retry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one event did: everything the caller must write down and then carry out.
 *
 * @param after the snapshot once the machine is at rest again
 * @param guards every guard that was asked, in order
 * @param records what the step emitted
 * @param messages events for this or other instances, to be delivered after the commit
 * @param timers what was scheduled or cancelled, in order; the pending ones are in the snapshot
 * @param children what was started or cancelled, in order
 * @param violations invariants that the step broke and that do not refuse it
 */
public record Step(
    Event event,
    Snapshot after,
    List<Microstep> microsteps,
    List<GuardResult> guards,
    List<Emitted> records,
    List<Effect> effects,
    List<Message> messages,
    List<TimerChange> timers,
    List<ChildChange> children,
    List<Violation> violations,
    List<LogLine> log)
    implements Answer {

  /** A record that the machine emitted. */
  public record Emitted(String kind, @Nullable Object data) {}

  /**
   * Work for the outside world.
   *
   * @param key never changes, however often the work is tried
   * @param during the state with which it ends, or null
   * @param retry how often it is tried; null where the runtime's settings say
   */
  public record Effect(
      String key,
      String name,
      String reply,
      boolean idempotent,
      @Nullable String during,
      @Nullable Retry retry,
      @Nullable Object input) {}

  /** An event on its way to the instance with the id {@code to}. */
  public record Message(String to, Event event) {}

  /** An invariant that did not hold. */
  public record Violation(String invariant, Severity severity, String message) {}

  /** What a log action said. */
  public record LogLine(@Nullable String label, @Nullable Object value) {}
}
