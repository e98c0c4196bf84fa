package dev.signalbox.systems.runs.audit;

/**
 * Something that an auditor found.
 *
 * @param rule which rule, in kebab-case
 * @param step the tool or check it is about; empty when it is about the run
 */
public record Finding(Judgement judgement, String rule, String step, String text) {

  @Override
  public String toString() {
    return "%s %s%s: %s".formatted(judgement, rule, step.isEmpty() ? "" : " of " + step, text);
  }
}
