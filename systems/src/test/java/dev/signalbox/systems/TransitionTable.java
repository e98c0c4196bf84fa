package dev.signalbox.systems;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Settled transitions, as a table has them: of one machine, or of one region of a machine. */
record TransitionTable(Set<String> states, Set<Row> rows) {
  private static final String START = "(start)";

  static TransitionTable of(String machine) {
    return of("/transitions/", machine);
  }

  static TransitionTable of(String folder, String name) {
    List<String[]> lines = lines(folder + name);
    Set<String> states = new LinkedHashSet<>();
    Set<String> left = new LinkedHashSet<>();
    for (String[] line : lines) {
      if (!line[0].equals(START) && !line[0].equals("*")) {
        states.add(line[0]);
        left.add(line[0]);
      }
      states.add(line[2]);
    }
    Set<Row> rows = new LinkedHashSet<>();
    for (String[] line : lines) {
      // A star stands for every state that is not final, and only a final state is never left.
      for (String from : line[0].equals("*") ? left : Set.of(line[0])) {
        rows.add(new Row(from, line[1], line[2]).normal());
      }
    }
    return new TransitionTable(states, rows);
  }

  /** The rows with the given source, such as {@code correction}. */
  static Set<Row> ofSource(String machine, String source) {
    Set<Row> rows = new LinkedHashSet<>();
    for (String[] line : lines("/transitions/" + machine)) {
      if (line[3].equals(source)) {
        rows.add(new Row(line[0], line[1], line[2]).normal());
      }
    }
    return rows;
  }

  private static List<String[]> lines(String path) {
    String file = path + ".csv";
    try (InputStream in = TransitionTable.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalArgumentException("Expected a table at '%s'.".formatted(file));
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(1).filter(l -> !l.isBlank()).map(l -> l.split(",", -1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
