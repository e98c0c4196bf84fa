package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The judge: what failed and does not say so, and whether the other four really looked. */
final class SilentFailure {
  private SilentFailure() {}

  static void look(AuditedRun run, List<Verdict> given, List<Verdict> looked, Findings findings) {
    for (PlannedStep step : run.tools()) {
      if (run.pass(step) == null) {
        findings.stop("step-without-result", step.name(), "It was planned and never passed.");
      }
    }
    for (PlannedStep check : run.checks()) {
      if (run.pass(check) == null) {
        findings.stop("check-not-run", check.name(), "The check was planned and never passed.");
      }
    }
    if (run.checks().isEmpty()) {
      findings.note("nothing-verified", "", "The plan has no checks.");
    }
    for (StepResult result : run.results()) {
      if (result.isPass()) {
        result(run, result, findings);
      }
    }
    judge(given, looked, findings);
  }

  private static void result(AuditedRun run, StepResult result, Findings findings) {
    String step = result.step();
    String exit = exit(run, result);
    if (!exit.equals("0")) {
      findings.stop("exit-hidden", step, "It passed, but exited with %s.".formatted(exit));
    }
    if (!result.result().status().word().equals("pass")) {
      findings.stop(
          "status-hidden",
          step,
          "It counts as passed, but said '%s'.".formatted(result.result().status().word()));
    }
    if (result.result().evidence().stream().allMatch(piece -> piece.bytes() == 0)) {
      findings.stop("evidence-empty", step, "All that it stored is empty.");
    }
    if (!result.result().notTested().isEmpty()) {
      findings.note(
          "not-tested",
          step,
          "It left open: " + String.join("; ", result.result().notTested()) + ".");
    }
    Risk risk = result.result().risk();
    boolean approved =
        run.approvals().stream().anyMatch(a -> a.isExecuted() && a.action().name().equals(step));
    if (risk == Risk.CRITICAL || (risk == Risk.HIGH && !approved)) {
      findings.stop(
          "risk-passed-over", step, "It found a %s risk and went on.".formatted(risk.word()));
    } else if (risk.compareTo(Risk.MEDIUM) >= 0) {
      findings.note("risk", step, "It found a %s risk.".formatted(risk.word()));
    }
  }

  /** The exit code, as stored or as said, whichever is not 0; 0 where there is none. */
  private static String exit(AuditedRun run, StepResult result) {
    Integer said = result.result().exitCode();
    if (said != null && said != 0) {
      return said.toString();
    }
    Evidence stored = result.result().evidence("exit_code");
    if (stored == null) {
      return "0";
    }
    try {
      return new String(run.evidence().bytes(stored.sha256()), StandardCharsets.UTF_8).strip();
    } catch (EvidenceException e) {
      return "something that is not there any more";
    }
  }

  /**
   * The other four must all have spoken, in their order, and none softer than its rules.
   *
   * @param given what they said
   * @param looked what their rules say now
   */
  private static void judge(List<Verdict> given, List<Verdict> looked, Findings findings) {
    List<String> names = looked.stream().map(Verdict::auditor).toList();
    List<String> spoke = given.stream().map(Verdict::auditor).toList();
    if (!spoke.equals(names)) {
      findings.stop(
          "auditor-silent", "", "Expected to hear %s, but heard %s.".formatted(names, spoke));
      return;
    }
    for (int i = 0; i < names.size(); i++) {
      Judgement said = given.get(i).judgement();
      Judgement rules = looked.get(i).judgement();
      if (rules.compareTo(said) > 0) {
        findings.stop(
            "auditor-soft",
            "",
            "The auditor of %s said %s, but its rules say %s: %s"
                .formatted(names.get(i), said, rules, looked.get(i).notes().getFirst()));
      }
    }
  }
}
