package dev.signalbox.kernel;

import java.util.List;

/**
 * An expected refusal. Nothing has changed.
 *
 * @param message what was expected, what was found and what to do, for a person
 * @param guards the guards that were asked, each with its answer
 */
public record Rejection(Code code, String message, List<GuardResult> guards) implements Answer {

  public Rejection {
    guards = List.copyOf(guards);
  }

  /** Why, in the order in which the reasons are looked for. */
  public enum Code {
    /** The instance is final and takes no more events. */
    INSTANCE_FINAL("instance-final"),
    /** The timer is not pending: it fired before or was cancelled. */
    TIMER_NOT_PENDING("timer-not-pending"),
    /** No transition of the active states waits for the event. */
    NO_TRANSITION("no-transition"),
    /** Transitions wait for the event, and the guard of each said no. */
    GUARD_REFUSED("guard-refused"),
    /** An expression has no value. */
    EXPRESSION_FAILED("expression-failed"),
    /** A limit of the machine was reached within the step. */
    LIMIT_REACHED("limit-reached"),
    /** The step would break an invariant of the machine. */
    INVARIANT_BROKEN("invariant-broken");

    private final String word;

    Code(String word) {
      this.word = word;
    }

    /** The code as JSON, SQL and the docs write it. */
    public String word() {
      return word;
    }
  }
}
