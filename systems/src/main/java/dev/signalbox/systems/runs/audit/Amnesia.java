package dev.signalbox.systems.runs.audit;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Earlier work is respected: the plan, the order, what was done, and what it left. */
final class Amnesia {
  private Amnesia() {}

  static void look(AuditedRun run, Findings findings) {
    if (!Sha256.hex(CanonicalJson.text(run.plan())).equals(run.planDigest())) {
      findings.stop("plan-changed", "", "The plan is not the one that was frozen.");
    }
    order(run, findings);
    repeated(run, findings);
    files(run, findings);
  }

  private static void order(AuditedRun run, Findings findings) {
    List<String> planned = run.tools().stream().map(PlannedStep::name).toList();
    List<String> passed = run.passedTools().stream().map(StepResult::step).distinct().toList();
    if (!passed.equals(planned.stream().filter(passed::contains).toList())) {
      findings.stop(
          "order-changed",
          "",
          "The tools passed in the order %s, not as planned.".formatted(passed));
    }
  }

  private static void repeated(AuditedRun run, Findings findings) {
    Map<String, Long> passed = new HashMap<>();
    for (StepResult result : run.results()) {
      String key = (result.isCheck() ? "check " : "tool ") + result.step();
      if (passed.containsKey(key)) {
        findings.stop(
            "step-repeated", result.step(), "It has a result after the one with which it passed.");
      } else if (result.isPass()) {
        passed.put(key, result.sequence());
      }
    }
    for (AuditedRun.Started started : run.started()) {
      Long done = passed.get("tool " + started.step());
      if (done != null && started.sequence() > done) {
        findings.stop("step-repeated", started.step(), "It was started again after it had passed.");
      }
    }
  }

  /** What a tool left must be there until another one was planned to change it. */
  private static void files(AuditedRun run, Findings findings) {
    Map<String, String> content = new HashMap<>();
    Map<String, String> writer = new HashMap<>();
    Set<String> seen = new HashSet<>();
    for (StepResult result : run.results()) {
      PlannedStep step = run.planned(result);
      if (!result.isPass()) {
        continue;
      }
      result
          .changed()
          .forEach((path, left) -> {
            String earlier = writer.get(path);
            if (earlier != null
                && !earlier.equals(result.step())
                && (step == null || !step.covers(path))) {
              findings.stop(
                  "work-overwritten",
                  result.step(),
                  "It changed '%s', which '%s' had written, without being planned to."
                      .formatted(path, earlier));
            }
            content.put(path, left);
            writer.put(path, result.step());
            seen.add(path);
          });
    }
    Map<String, String> now = run.now();
    if (now == null) {
      return;
    }
    for (String path : seen.stream().sorted().toList()) {
      String left = content.getOrDefault(path, "");
      if (!left.equals(now.getOrDefault(path, ""))) {
        findings.stop(
            "work-undone",
            writer.getOrDefault(path, ""),
            "'%s' is not what it left: somebody changed it since.".formatted(path));
      }
    }
  }
}
