package dev.signalbox.definition;

import dev.signalbox.definition.Problem.Severity;
import java.util.ArrayList;
import java.util.List;

/** Collects the problems of one source, up to a limit, so that a bad text cannot fill memory. */
public final class Problems {
  private static final int MOST = 1_000;

  private final String source;
  private final List<Problem> found = new ArrayList<>();

  public Problems(String source) {
    this.source = source;
  }

  public void error(String code, Place place, String message, String hint) {
    add(new Problem(code, Severity.ERROR, source, place, message, hint));
  }

  public void warning(String code, Place place, String message, String hint) {
    add(new Problem(code, Severity.WARNING, source, place, message, hint));
  }

  public void add(Problem problem) {
    if (found.size() < MOST) {
      found.add(problem);
    }
  }

  public boolean hasErrors() {
    return found.stream().anyMatch(Problem::isError);
  }

  /** What was found so far, in that order. */
  public List<Problem> list() {
    return List.copyOf(found);
  }
}
