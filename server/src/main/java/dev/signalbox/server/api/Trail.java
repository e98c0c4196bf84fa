package dev.signalbox.server.api;

import dev.signalbox.definition.draw.Highlight;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Edge;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where an instance has been, as a picture shows it. */
final class Trail {
  private static final int PAGE = 500;

  /** Entries that are looked at; of a longer life the beginning is shown, and where it is now. */
  private static final int MOST = 5_000;

  private Trail() {}

  /** The states and transitions of the instance's entries up to where it is. */
  static Highlight of(Signalbox box, Instance instance) {
    Set<String> visited = new HashSet<>();
    Set<Edge> taken = new HashSet<>();
    long until = Math.min(instance.sequence(), MOST);
    long next = 1;
    while (next <= until) {
      List<EntryRow> page =
          box.history(instance.id(), next, (int) Math.min(PAGE, until - next + 1));
      if (page.isEmpty()) {
        break;
      }
      for (EntryRow entry : page) {
        microsteps(Views.body(entry), visited, taken);
        next = entry.sequence() + 1;
      }
    }
    return new Highlight(Set.copyOf(instance.states()), visited, taken, Map.of(), Map.of());
  }

  private static void microsteps(Map<?, ?> body, Set<String> visited, Set<Edge> taken) {
    for (Object microstep : list(body.get("microsteps"))) {
      if (microstep instanceof Map<?, ?> step) {
        list(step.get("entered")).forEach(state -> visited.add(String.valueOf(state)));
      }
    }
    taken.addAll(taken(body));
  }

  /** The transitions that an entry's step took, in order. */
  static List<Edge> taken(Map<?, ?> body) {
    List<Edge> taken = new ArrayList<>();
    for (Object microstep : list(body.get("microsteps"))) {
      Object edges = microstep instanceof Map<?, ?> step ? step.get("taken") : null;
      for (Object one : list(edges)) {
        if (one instanceof Map<?, ?> edge) {
          taken.add(
              new Edge(
                  String.valueOf(edge.get("from")),
                  edge.get("on") instanceof String on ? on : "",
                  list(edge.get("to")).stream().map(String::valueOf).toList()));
        }
      }
    }
    return taken;
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
