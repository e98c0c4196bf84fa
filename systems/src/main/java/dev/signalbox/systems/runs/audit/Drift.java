package dev.signalbox.systems.runs.audit;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Planned against actual: what changed, and what was to change. */
final class Drift {
  private Drift() {}

  /**
   * @param tolerated paths that may change without being planned, as a note: {@code *} and {@code
   *     **} as in plans
   */
  static void look(AuditedRun run, List<String> tolerated, Findings findings) {
    Set<String> changed = new HashSet<>();
    for (StepResult result : run.results()) {
      if (!result.isPass()) {
        continue;
      }
      changed.addAll(result.changed().keySet());
      PlannedStep step = run.planned(result);
      if (step == null) {
        findings.stop("step-unplanned", result.step(), "The plan does not have it.");
        continue;
      }
      for (String path : new TreeSet<>(result.changed().keySet())) {
        if (!step.covers(path)) {
          unplanned(path, step, tolerated, findings);
        }
      }
      for (String pattern : step.writes()) {
        if (result.changed().keySet().stream()
            .noneMatch(path -> PlannedStep.matches(pattern, path))) {
          findings.note(
              "planned-untouched",
              step.name(),
              "It was to change '%s' and did not.".formatted(pattern));
        }
      }
    }
    outside(run, changed, tolerated, findings);
    GraphDrift.look(run, findings);
  }

  private static void unplanned(
      String path, PlannedStep step, List<String> tolerated, Findings findings) {
    String text =
        step.writing()
            ? "It changed '%s', which it was not planned to.".formatted(path)
            : "It changed '%s', though it was to change nothing.".formatted(path);
    if (tolerated.stream().anyMatch(pattern -> PlannedStep.matches(pattern, path))) {
      findings.note("unplanned-tolerated", step.name(), text);
    } else {
      findings.stop("unplanned-change", step.name(), text);
    }
  }

  /** What changed since the run began, and by none of its tools. */
  private static void outside(
      AuditedRun run, Set<String> changed, List<String> tolerated, Findings findings) {
    Map<String, String> before = run.before();
    Map<String, String> now = run.now();
    if (before == null || now == null) {
      return;
    }
    Set<String> approved = approved(run);
    Set<String> paths = new TreeSet<>(before.keySet());
    paths.addAll(now.keySet());
    for (String path : paths) {
      if (!changed.contains(path)
          && !before.getOrDefault(path, "").equals(now.getOrDefault(path, ""))) {
        String text = "'%s' changed since the run began, and no tool did it.".formatted(path);
        if (tolerated.stream().anyMatch(pattern -> PlannedStep.matches(pattern, path))) {
          findings.note("unplanned-tolerated", "", text);
        } else if (approved.contains(path)) {
          findings.note("changed-and-approved", "", text + " People approved it so.");
        } else {
          findings.stop("changed-by-others", "", text);
        }
      }
    }
  }

  /** The paths that others changed, and that people were shown before they said yes. */
  private static Set<String> approved(AuditedRun run) {
    Set<String> paths = new HashSet<>();
    for (ApprovalRecord approval : run.approvals()) {
      if (approval.isExecuted()
          && approval.action().identity().get("changed") instanceof List<?> list) {
        list.forEach(line -> paths.add(String.valueOf(line).replaceFirst("^[a-z]+ ", "")));
      }
    }
    return paths;
  }
}
