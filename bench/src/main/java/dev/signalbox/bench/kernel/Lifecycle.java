package dev.signalbox.bench.kernel;

import java.util.List;

/** The lifecycle that every library runs: seven transitions, one of them guarded. */
final class Lifecycle {
  private Lifecycle() {}

  enum Phase {
    INIT,
    PLANNING,
    EXECUTING,
    AWAITING_APPROVAL,
    VERIFYING,
    AUDITING,
    COMPLETE
  }

  enum Signal {
    PLAN,
    PLAN_READY,
    HIGH_RISK_ACTION,
    APPROVED,
    ALL_TOOLS_PASSED,
    TESTS_PASSED,
    AUDIT_PASSED,
    /** Back to the beginning, for libraries whose machines are too dear to make anew. */
    RESET
  }

  static final List<Signal> SIGNALS =
      List.of(
          Signal.PLAN,
          Signal.PLAN_READY,
          Signal.HIGH_RISK_ACTION,
          Signal.APPROVED,
          Signal.ALL_TOOLS_PASSED,
          Signal.TESTS_PASSED,
          Signal.AUDIT_PASSED);

  static final int TRANSITIONS = 7;

  /** What the guard looks at: the planned tools. */
  record Plan(List<String> tools) {
    boolean hasTools() {
      return !tools.isEmpty();
    }
  }

  static final Plan PLAN = new Plan(List.of("lint", "test"));
}
