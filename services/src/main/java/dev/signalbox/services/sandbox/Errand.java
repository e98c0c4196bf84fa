package dev.signalbox.services.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a process is to be started with.
 *
 * @param given variables with values that this program or whoever runs it chose, secrets among them
 * @param chosen variables with values that whoever wrote the command chose
 * @param answers where it may leave its answers, shown under the same name and changeable; null for
 *     nowhere
 */
public record Errand(
    List<String> command,
    Map<String, String> given,
    Map<String, String> chosen,
    Reach reach,
    @Nullable Path answers) {
  public Errand {
    command = List.copyOf(command);
    given = Map.copyOf(given);
    chosen = Map.copyOf(chosen);
  }
}
