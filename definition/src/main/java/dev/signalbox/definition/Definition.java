package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Machine;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What reading one machine gave.
 *
 * @param machine null when the text is too broken to give one
 * @param problems found while reading; the checks find more
 */
public record Definition(
    Source source, @Nullable Machine machine, Places places, List<Problem> problems) {

  public Definition {
    problems = List.copyOf(problems);
  }

  public boolean hasErrors() {
    return machine == null || problems.stream().anyMatch(Problem::isError);
  }
}
