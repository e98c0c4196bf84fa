package dev.signalbox.bench.peers;

import java.time.Duration;

/** The states of the run lifecycle, as code that a workflow calls. */
enum Phase {
  INIT(Duration.ofDays(3_650)),
  PLANNING(Duration.ofMinutes(5)),
  EXECUTING(Duration.ofMinutes(30)),
  AWAITING_APPROVAL(Duration.ofHours(24)),
  VERIFYING(Duration.ofMinutes(15)),
  AUDITING(Duration.ofMinutes(10)),
  COMPLETE(Duration.ZERO),
  HALTED(Duration.ZERO);

  /** How long a run may stay before it is halted. */
  final Duration deadline;

  Phase(Duration deadline) {
    this.deadline = deadline;
  }

  boolean ended() {
    return this == COMPLETE || this == HALTED;
  }

  /** Where the event leads. */
  Phase on(Event event) {
    return switch (this) {
      case INIT -> to(PLANNING, "plan", event);
      case PLANNING -> event.tools().isEmpty() ? refuse(event) : to(EXECUTING, "plan_ready", event);
      case EXECUTING ->
          event.name().equals("high_risk_action")
              ? AWAITING_APPROVAL
              : to(VERIFYING, "all_tools_passed", event);
      case AWAITING_APPROVAL -> to(EXECUTING, "approved", event);
      case VERIFYING -> to(AUDITING, "tests_passed", event);
      case AUDITING -> to(COMPLETE, "audit_passed", event);
      case COMPLETE, HALTED -> refuse(event);
    };
  }

  private Phase to(Phase target, String expected, Event event) {
    return event.name().equals(expected) ? target : refuse(event);
  }

  private Phase refuse(Event event) {
    throw new IllegalStateException(
        "Expected to take '%s' in %s, but there is no such transition."
            .formatted(event.name(), this));
  }
}
