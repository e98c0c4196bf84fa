package dev.signalbox.systems.runs.audit;

import java.util.ArrayList;
import java.util.List;

/** Collects what the rules of an auditor find. */
final class Findings {
  private final List<Finding> all = new ArrayList<>();

  void stop(String rule, String step, String text) {
    all.add(new Finding(Judgement.STOP, rule, step, text));
  }

  void note(String rule, String step, String text) {
    all.add(new Finding(Judgement.CONTAMINATED, rule, step, text));
  }

  List<Finding> all() {
    return List.copyOf(all);
  }
}
