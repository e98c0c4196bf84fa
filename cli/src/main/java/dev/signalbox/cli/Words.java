package dev.signalbox.cli;

import dev.signalbox.kernel.machine.State;
import dev.signalbox.services.ServiceMachines;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Options that take one of a few words: another one is a mistake, not an empty answer. */
final class Words {
  private Words() {}

  /**
   * The word, which may be missing.
   *
   * @throws ParameterException when it is none of those
   */
  static @Nullable String known(
      CommandSpec spec, String option, @Nullable String word, List<String> words) {
    if (word == null || words.contains(word)) {
      return word;
    }
    throw new ParameterException(
        spec.commandLine(),
        "Expected %s to be one of %s, but found '%s'."
            .formatted(option, String.join(", ", words), word));
  }

  /** The states of a machine that ships with the services. */
  static @Nullable String state(CommandSpec spec, String machine, @Nullable String state) {
    return state == null
        ? null
        : known(
            spec,
            "--state",
            state,
            ServiceMachines.SHELF.machine(machine).root().children().stream()
                .map(State::id)
                .toList());
  }
}
