package dev.signalbox.bench.peers;

import java.util.List;

/** What moves a run on; only {@code plan_ready} brings tools. */
public record Event(String name, List<String> tools) {
  /** The events of a run from INIT to COMPLETE, in order. */
  static final List<Event> LIFE =
      List.of(
          new Event("plan", List.of()),
          new Event("plan_ready", List.of("lint", "test")),
          new Event("high_risk_action", List.of()),
          new Event("approved", List.of()),
          new Event("all_tools_passed", List.of()),
          new Event("tests_passed", List.of()),
          new Event("audit_passed", List.of()));
}
