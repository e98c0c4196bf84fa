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

  /** Of several texts that belong together; each problem says of which it is. */
  public DefinitionException(List<Source> sources, List<Problem> problems) {
    super(
        problems.stream()
            .map(p -> p.render(named(sources, p.source())).stripTrailing())
            .collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  private static Source named(List<Source> sources, String name) {
    return sources.stream()
        .filter(source -> source.name().equals(name))
        .findFirst()
        .orElse(new Source(name, ""));
  }

  public List<Problem> problems() {
    return problems;
  }
}
