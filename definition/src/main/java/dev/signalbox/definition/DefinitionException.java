package dev.signalbox.definition;

import java.util.List;
import java.util.stream.Collectors;

/** A text that gives no usable machine; the message holds every problem. */
public final class DefinitionException extends RuntimeException {
  private final transient List<Problem> problems;

  public DefinitionException(Source source, List<Problem> problems) {
    super(
        problems.stream()
            .map(p -> p.render(source).stripTrailing())
            .collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }
}
