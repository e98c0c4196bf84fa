package dev.signalbox.kernel.machine;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What must hold in every instance: proved before a machine is published, enforced while it runs,
 * checked again over history.
 */
public sealed interface Invariant {
  String name();

  Severity severity();

  /** The fact never happens. */
  record Never(String name, Severity severity, Fact fact) implements Invariant {}

  /** The states are never active at the same time. */
  record Apart(String name, Severity severity, List<String> states) implements Invariant {
    public Apart {
      states = List.copyOf(states);
    }
  }

  /**
   * The condition holds after every step.
   *
   * @param in the state in which it must hold; null means always
   */
  record Always(String name, Severity severity, Operand.Expr condition, @Nullable String in)
      implements Invariant {}

  /** Precedence: {@code reaching} happens only after {@code first} has happened. */
  record Before(String name, Severity severity, Fact reaching, Fact first) implements Invariant {}

  /**
   * Response: after {@code trigger}, one of the responses happens before the instance ends.
   *
   * @param within how long that may take; null means as long as the instance lives
   * @param target where the instance is taken when it took too long; null only without deadline
   */
  record LeadsTo(
      String name,
      Severity severity,
      Fact trigger,
      List<Fact> responses,
      @Nullable Duration within,
      @Nullable String target)
      implements Invariant {
    public LeadsTo {
      responses = List.copyOf(responses);
    }
  }

  /**
   * The fact happens at least {@code min} times before the instance ends and at most {@code max}
   * times in all; exactly once is 1 and 1.
   */
  record Times(String name, Severity severity, Fact fact, int min, int max) implements Invariant {}

  /** Between {@code opens} and {@code closes} there is no second {@code opens}. */
  record OneAtATime(String name, Severity severity, Fact opens, Fact closes) implements Invariant {}

  /** Once the state was entered, the field keeps its value. */
  record Frozen(String name, Severity severity, String field, String after) implements Invariant {}

  /** What a violation causes. */
  enum Severity {
    /** The step is refused. */
    FATAL,
    /** The step stands, the violation is recorded and alerts. */
    ERROR,
    /** The step stands, the violation is recorded. */
    WARN
  }
}
