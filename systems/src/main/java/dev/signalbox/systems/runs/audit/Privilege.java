package dev.signalbox.systems.runs.audit;

import dev.signalbox.kernel.CanonicalJson;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** Approvals were really held: for exactly what ran, by people who did not ask for it. */
final class Privilege {
  /** What needs nobody's word in an environment. */
  private static final Map<String, List<String>> AUTOMATIC =
      Map.of(
          "dev", List.of("read", "test", "write"),
          "staging", List.of("read", "test"),
          "prod", List.of("read"));

  private Privilege() {}

  static void look(AuditedRun run, Findings findings) {
    for (PlannedStep step : run.tools()) {
      boolean ran =
          run.results().stream().anyMatch(r -> !r.isCheck() && r.step().equals(step.name()));
      if (!ran) {
        continue;
      }
      boolean automatic =
          AUTOMATIC.getOrDefault(run.environment(), List.of()).contains(step.access());
      if (!step.approval() && automatic) {
        continue;
      }
      List<ApprovalRecord> held =
          run.approvals().stream()
              .filter(a -> a.isExecuted() && a.action().name().equals(step.name()))
              .toList();
      if (held.isEmpty()) {
        findings.stop(
            step.approval() ? "approval-missing" : "policy-broken",
            step.name(),
            step.approval()
                ? "It ran without an approval that was executed."
                : "'%s' does not let '%s' happen without approval, and it did."
                    .formatted(run.environment(), step.access()));
      }
      for (ApprovalRecord approval : held) {
        exact(run, step, approval, findings);
      }
    }
    for (ApprovalRecord approval : run.approvals()) {
      if (approval.isExecuted()) {
        people(approval, findings);
      }
    }
    boolean self =
        run.approvals().stream()
            .anyMatch(a -> a.isExecuted() && a.self() && a.action().name().equals("plan"));
    if (!self
        && !run.planApprovedBy().equals("policy")
        && run.planApprovedBy().equals(run.requester())) {
      findings.stop("self-approval", "", "The plan was approved by who asked for it.");
    }
    if (run.planApprovedBy().isEmpty()) {
      findings.stop("plan-unapproved", "", "Nobody approved the plan, nor did the policy.");
    }
  }

  /** The approval must be one of this run, for these arguments, under its own digest. */
  private static void exact(
      AuditedRun run, PlannedStep step, ApprovalRecord approval, Findings findings) {
    if (!approval.action().digest().equals(approval.digest())) {
      findings.stop(
          "digest-differs",
          step.name(),
          "Approval '%s' has another digest than what it is for.".formatted(approval.id()));
    }
    if (!approval.action().subject().equals(run.id())) {
      findings.stop(
          "approval-of-another",
          step.name(),
          "Approval '%s' is for '%s'.".formatted(approval.id(), approval.action().subject()));
    }
    if (!CanonicalJson.text(approval.action().arguments())
        .equals(CanonicalJson.text(step.arguments()))) {
      findings.stop(
          "arguments-differ",
          step.name(),
          "Approval '%s' is for other arguments than the plan has.".formatted(approval.id()));
    }
  }

  private static void people(ApprovalRecord approval, Findings findings) {
    String step = approval.action().name();
    for (String person : approval.approvers()) {
      if (!approval.self() && approval.askers().contains(person)) {
        findings.stop(
            "self-approval", step, "'%s' approved what '%s' asked for.".formatted(person, person));
      }
    }
    if (new HashSet<>(approval.approvers()).size() < Math.max(1, approval.quorum())) {
      findings.stop(
          "quorum-missed",
          step,
          "Approval '%s' has %d of %d people."
              .formatted(
                  approval.id(),
                  new HashSet<>(approval.approvers()).size(),
                  Math.max(1, approval.quorum())));
    }
  }
}
