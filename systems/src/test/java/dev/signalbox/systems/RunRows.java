package dev.signalbox.systems;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rows of a run's table that its history shows. */
public final class RunRows {
  private static final Machine MACHINE = SystemMachines.machine("runs.run");

  private RunRows() {}

  /** All rows that there are, in words. */
  public static Set<String> all() {
    return told(TransitionTable.of("runs.run").rows());
  }

  /** Those that were taken, in words. */
  public static Set<String> taken(List<EntryRow> history) {
    return told(of(history));
  }

  private static Set<String> told(Set<Row> rows) {
    return rows.stream().map(Row::toString).collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Every move between two of the nine states. */
  static Set<Row> of(List<EntryRow> history) {
    Set<Row> rows = new LinkedHashSet<>();
    for (EntryRow entry : history) {
      for (Object micro : list(body(entry).get("microsteps"))) {
        for (Object taken : list(((Map<?, ?>) micro).get("taken"))) {
          Map<?, ?> way = (Map<?, ?>) taken;
          String from = top(String.valueOf(way.get("from")));
          for (Object to : list(way.get("to"))) {
            String into = top(String.valueOf(to));
            if (!from.equals(into)) {
              rows.add(new Row(from, String.valueOf(way.get("on")), into).normal());
            }
          }
        }
      }
    }
    return rows;
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static Map<?, ?> body(EntryRow entry) {
    try {
      return (Map<?, ?>)
          Objects.requireNonNull(Json.parse(new String(entry.body(), StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String top(String state) {
    for (State top : MACHINE.root().children()) {
      if (top.id().equals(state)
          || top.children().stream().anyMatch(child -> child.id().equals(state))) {
        return top.id();
      }
    }
    return state;
  }
}
