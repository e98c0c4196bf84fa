package dev.signalbox.systems.runs.file;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Reads the states of all runs below a folder again and again, as fast as it can, until its
 * standard input ends; then says how often it read and how many different states it saw. A part of
 * a state, or a state that is gone again, ends it with 1.
 */
public final class StateReader {
  /** The fields of the source's example, in its order. */
  static final List<String> FIELDS =
      List.of(
          "run_id",
          "project_id",
          "current_state",
          "previous_state",
          "state_history",
          "tools_planned",
          "tools_completed",
          "tools_remaining",
          "current_tool",
          "approvals_pending",
          "approvals_granted",
          "created_at",
          "updated_at");

  private final Path runs;
  private final Map<Path, String> last = new HashMap<>();
  private long reads;
  private long states;

  private StateReader(Path runs) {
    this.runs = runs;
  }

  public static void main(String[] args) throws IOException {
    StateReader reader = new StateReader(Path.of(args[0]));
    // What is loaded with the first look would take longer than many writes.
    reader.look();
    System.out.print("r");
    System.out.flush();
    Thread end =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                while (System.in.read() >= 0) {
                  // Until its end.
                }
              } catch (IOException e) {
                // That is an end too.
              }
            });
    while (end.isAlive() || reader.reads == 0) {
      reader.look();
    }
    System.out.println(reader.reads + " " + reader.states);
  }

  private void look() throws IOException {
    try (Stream<Path> folders = Files.list(runs)) {
      for (Path folder : folders.filter(Files::isDirectory).toList()) {
        Path file = folder.resolve("RUN_STATE.json");
        // A run has a folder before it has a state; the state stays once it is there.
        if (last.containsKey(file) || Files.exists(file)) {
          read(file);
        }
      }
    }
  }

  private void read(Path file) throws IOException {
    String text = Files.readString(file);
    try {
      if (!(Json.parse(text) instanceof Map<?, ?> state)
          || !FIELDS.equals(List.copyOf(state.keySet()))) {
        throw new IOException("not whole: " + text);
      }
    } catch (Json.SyntaxException e) {
      System.out.println("not whole: " + text);
      System.exit(1);
    }
    reads++;
    if (!Objects.equals(last.put(file, text), text)) {
      states++;
    }
  }
}
