package dev.signalbox.systems.runs.audit;

import java.util.ArrayList;
import java.util.List;

/**
 * What an auditor says.
 *
 * @param findings why; empty when it is cleared
 */
public record Verdict(String auditor, Judgement judgement, List<Finding> findings) {
  private static final int MOST = 100;

  public Verdict {
    findings = List.copyOf(findings);
  }

  /** As bad as the worst that was found. */
  static Verdict of(String auditor, List<Finding> findings) {
    Judgement worst = Judgement.CLEARED;
    for (Finding finding : findings) {
      worst = worst.or(finding.judgement());
    }
    List<Finding> kept = findings;
    if (findings.size() > MOST) {
      kept = new ArrayList<>(findings.subList(0, MOST));
      kept.add(
          new Finding(
              worst, "too-many", "", "There are %,d more.".formatted(findings.size() - MOST)));
    }
    return new Verdict(auditor, worst, kept);
  }

  /** This one with what somebody else found: never better than it was. */
  Verdict and(List<Finding> more) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(more);
    Verdict both = of(auditor, all);
    return new Verdict(auditor, both.judgement.or(judgement), both.findings);
  }

  /** CLEARED, CONTAMINATED or STOP. */
  public String word() {
    return judgement.name();
  }

  /** The reasons, one sentence each. */
  public List<String> notes() {
    return findings.stream().map(Finding::toString).toList();
  }
}
