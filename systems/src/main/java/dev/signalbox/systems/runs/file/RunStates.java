package dev.signalbox.systems.runs.file;

import java.util.List;
import java.util.Map;

/** The states of a run, as its files name them, and the ways between them. */
final class RunStates {
  static final List<String> ALL =
      List.of(
          "INIT",
          "PLANNING",
          "EXECUTING",
          "AWAITING_APPROVAL",
          "VERIFYING",
          "AUDITING",
          "COMPLETE",
          "ROLLED_BACK",
          "HALTED_UNSAFE");

  private static final Map<String, List<String>> WAYS =
      Map.of(
          "INIT", List.of("PLANNING", "HALTED_UNSAFE"),
          "PLANNING", List.of("EXECUTING", "HALTED_UNSAFE"),
          "EXECUTING", List.of("AWAITING_APPROVAL", "VERIFYING", "HALTED_UNSAFE", "ROLLED_BACK"),
          "AWAITING_APPROVAL", List.of("EXECUTING", "ROLLED_BACK", "HALTED_UNSAFE"),
          "VERIFYING", List.of("AUDITING", "ROLLED_BACK", "HALTED_UNSAFE"),
          "AUDITING", List.of("COMPLETE", "ROLLED_BACK", "HALTED_UNSAFE"));

  private RunStates() {}

  static boolean isWay(String from, String to) {
    return WAYS.getOrDefault(from, List.of()).contains(to);
  }
}
