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

  /**
   * Why, in the order in which the reasons are looked for. The kernel itself gives those from
   * {@link #INSTANCE_FINAL} on.
   */
  public enum Code {
    /** More commands wait than the queue holds, or others were always faster. */
    BUSY("busy"),
    /** The event's data has more bytes than allowed. */
    TOO_LARGE("too-large"),
    /** The data is not JSON. */
    BAD_DATA("bad-data"),
    /** The idempotency key begins as those of the services do. */
    RESERVED_KEY("reserved-key"),
    /** No machine of that name and version was published. */
    UNKNOWN_MACHINE("unknown-machine"),
    /** The machine, or the instance, is the engine's or a service's own. */
    RESERVED_MACHINE("reserved-machine"),
    /** The machine is paused, so no instance of it begins. */
    MACHINE_PAUSED("machine-paused"),
    /** No instance has that id. */
    UNKNOWN_INSTANCE("unknown-instance"),
    /** The instance has no entry of that sequence number. */
    UNKNOWN_ENTRY("unknown-entry"),
    /** An instance has that id already. */
    INSTANCE_EXISTS("instance-exists"),
    /** The actor gave the instance another command under the idempotency key. */
    KEY_TAKEN("key-taken"),
    /** The instance has moved on since the caller looked. */
    STALE_SEQUENCE("stale-sequence"),
    /** The instance is paused. */
    INSTANCE_PAUSED("instance-paused"),
    /** The instance stands still: one of its timers was refused, or its row can't be read. */
    INSTANCE_HALTED("instance-halted"),
    /** The instance is not paused or halted, so it can't be resumed. */
    NOT_PAUSED("not-paused"),
    /** The instance has not ended, so it can't be erased. */
    NOT_ENDED("not-ended"),
    /** Nothing of the instance is sealed, so nothing of it can be erased. */
    NOT_SEALED("not-sealed"),
    /** Effects or messages of the instance are still to be done. */
    STILL_PENDING("still-pending"),
    /** The instance's personal data was erased, and its past with it. */
    INSTANCE_ERASED("instance-erased"),
    /** Only the engine sends events of that name. */
    RESERVED_EVENT("reserved-event"),
    /** The actor has none of the roles that may send the event. */
    ROLE_REQUIRED("role-required"),
    /** The event's data is not of the declared form. */
    DATA_MISMATCH("data-mismatch"),
    /** The effect has ended, or someone else has it; the result came too late. */
    LATE_RESULT("late-result"),
    /** The instance can't be taken to the other version as it stands. */
    STRANDED("stranded"),
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
