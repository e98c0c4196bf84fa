package dev.signalbox.systems.runs.audit;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The five, with who looks beside them. */
public final class Auditors {
  /** Their names, in their order. */
  public static final List<String> ORDER =
      List.of("hallucination", "amnesia", "drift", "privilege", "silent_failure");

  private final List<String> tolerated;
  private final Map<String, List<Extension>> extensions;

  /**
   * @param tolerated paths whose unplanned change is a note and no more
   * @param extensions by the names of the auditors
   */
  public Auditors(List<String> tolerated, Map<String, List<Extension>> extensions) {
    this.tolerated = List.copyOf(tolerated);
    this.extensions = Map.copyOf(extensions);
    for (String name : extensions.keySet()) {
      if (!ORDER.contains(name)) {
        throw new IllegalArgumentException(
            "Expected an auditor of %s, but found '%s'.".formatted(ORDER, name));
      }
    }
  }

  /** The rules alone. */
  public static Auditors rules() {
    return new Auditors(List.of(), Map.of());
  }

  /** Lets all five look, one after the other. */
  public List<Verdict> lookAll(AuditedRun run) throws InterruptedException {
    List<Verdict> verdicts = new ArrayList<>();
    for (String auditor : ORDER) {
      verdicts.add(look(auditor, run, verdicts));
    }
    return verdicts;
  }

  /**
   * Lets one auditor look.
   *
   * @param before what those before it said
   */
  public Verdict look(String auditor, AuditedRun run, List<Verdict> before)
      throws InterruptedException {
    Verdict verdict = rules(auditor, run, before);
    for (Extension extension : extensions.getOrDefault(auditor, List.of())) {
      try {
        verdict = verdict.and(extension.look(run, verdict));
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        verdict =
            verdict.and(
                List.of(
                    new Finding(
                        Judgement.STOP,
                        "extension-failed",
                        "",
                        "Who was to look as well could not: %s."
                            .formatted(e.getClass().getSimpleName()))));
      }
    }
    return verdict;
  }

  private Verdict rules(String auditor, AuditedRun run, List<Verdict> before) {
    Findings findings = new Findings();
    switch (auditor) {
      case "hallucination" -> Hallucination.look(run, findings);
      case "amnesia" -> Amnesia.look(run, findings);
      case "drift" -> Drift.look(run, tolerated, findings);
      case "privilege" -> Privilege.look(run, findings);
      case "silent_failure" -> {
        List<Verdict> again =
            ORDER.subList(0, 4).stream().map(each -> rules(each, run, List.of())).toList();
        SilentFailure.look(run, before, again, findings);
      }
      default ->
          throw new IllegalArgumentException(
              "Expected an auditor of %s, but found '%s'.".formatted(ORDER, auditor));
    }
    return Verdict.of(auditor, findings.all());
  }
}
