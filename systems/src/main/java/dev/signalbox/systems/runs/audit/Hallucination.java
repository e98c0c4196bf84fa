package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.tool.Claim;

/** Claims need proof: each names evidence, and each piece of evidence is what it was. */
final class Hallucination {
  private Hallucination() {}

  static void look(AuditedRun run, Findings findings) {
    for (StepResult result : run.results()) {
      for (Evidence piece : result.result().evidence()) {
        evidence(run, result, piece, findings);
      }
      if (!result.isPass()) {
        continue;
      }
      if (result.result().evidence().isEmpty()) {
        findings.stop("pass-without-evidence", result.step(), "It passed and shows nothing.");
      }
      for (Claim claim : result.result().checked()) {
        claim(result, claim, findings);
      }
    }
  }

  private static void evidence(
      AuditedRun run, StepResult result, Evidence piece, Findings findings) {
    try {
      byte[] bytes = run.evidence().bytes(piece.sha256());
      if (bytes.length != piece.bytes()) {
        findings.stop(
            "evidence-altered",
            result.step(),
            "'%s' has %,d bytes and not %,d.".formatted(piece.name(), bytes.length, piece.bytes()));
      }
    } catch (EvidenceException e) {
      findings.stop(
          e.reason() == EvidenceException.Reason.MISSING ? "evidence-missing" : "evidence-altered",
          result.step(),
          "'%s': %s".formatted(piece.name(), e.getMessage()));
    }
  }

  private static void claim(StepResult result, Claim claim, Findings findings) {
    if (claim.evidence().isEmpty()) {
      findings.stop(
          "claim-without-proof",
          result.step(),
          "It claims '%s' and names no evidence.".formatted(claim.text()));
    }
    for (String name : claim.evidence()) {
      if (result.result().evidence(name) == null) {
        findings.stop(
            "claim-without-proof",
            result.step(),
            "It claims '%s' by '%s', which it did not store.".formatted(claim.text(), name));
      }
    }
  }
}
