package dev.signalbox.server.api;

import dev.signalbox.definition.Graph;
import dev.signalbox.kernel.machine.Machine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What two versions of a machine have and have not in common, as data that a page can draw. */
final class Differences {
  private Differences() {}

  static Map<String, @Nullable Object> between(Machine from, Machine to) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("from", (long) from.version());
    view.put("to", (long) to.version());
    Graph before = Graph.of(from);
    Graph after = Graph.of(to);
    view.put(
        "states",
        changes(
            before.states().stream().map(Graph.Vertex::id).toList(),
            after.states().stream().map(Graph.Vertex::id).toList()));
    view.put(
        "transitions",
        changes(
            before.edges().stream().map(Differences::edge).toList(),
            after.edges().stream().map(Differences::edge).toList()));
    view.put("events", named(from.events(), to.events(), e -> e.name()));
    view.put("context", named(from.context(), to.context(), f -> f.name()));
    view.put("invariants", named(from.invariants(), to.invariants(), i -> i.name()));
    return view;
  }

  private static Map<String, String> edge(Graph.Edge edge) {
    Map<String, String> view = new LinkedHashMap<>();
    view.put("from", edge.from());
    view.put("to", edge.to());
    view.put("label", edge.label());
    return view;
  }

  private static <T> Map<String, List<T>> changes(List<T> before, List<T> after) {
    Map<String, List<T>> view = new LinkedHashMap<>();
    view.put("added", after.stream().filter(a -> !before.contains(a)).toList());
    view.put("removed", before.stream().filter(b -> !after.contains(b)).toList());
    return view;
  }

  /** Things with names: besides added and removed, those of the same name that say other things. */
  private static <T> Map<String, List<String>> named(
      List<T> before, List<T> after, Function<T, String> name) {
    Map<String, T> old = byName(before, name);
    Map<String, T> fresh = byName(after, name);
    Map<String, List<String>> view =
        changes(List.copyOf(old.keySet()), List.copyOf(fresh.keySet()));
    view.put(
        "changed",
        fresh.keySet().stream()
            .filter(key -> old.containsKey(key) && !Objects.equals(old.get(key), fresh.get(key)))
            .toList());
    return view;
  }

  private static <T> Map<String, T> byName(List<T> things, Function<T, String> name) {
    Map<String, T> map = new LinkedHashMap<>();
    things.forEach(thing -> map.put(name.apply(thing), thing));
    return map;
  }
}
