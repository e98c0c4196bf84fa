package dev.signalbox.definition.statelist;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Fence;
import dev.signalbox.definition.Place;
import dev.signalbox.definition.Places;
import dev.signalbox.definition.Problems;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.Suggestion;
import dev.signalbox.definition.statelist.Block.Entry;
import dev.signalbox.definition.statelist.Block.Part;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lists of states in the YAML blocks of a text, each as a machine:
 *
 * <pre>{@code
 * door_states:
 *   OPEN: { description: Anybody may pass., next_states: [SHUT] }
 *   SHUT: { next_states: [] }
 * }</pre>
 *
 * The first state is the start, a state with no next one is final, and since such a list names no
 * events, the way to {@code SHUT} waits for the event {@code to_SHUT}. Never throws.
 */
public final class StateListReader {
  private static final String NEXT = "next_states";
  private static final String SUFFIX = "_states";
  private static final int MOST_STATES = 10_000;
  private static final int MOST_EDGES = 100_000;
  private static final Pattern NAME = Pattern.compile("(?!.*->)\\S{1,200}");

  private final Problems problems;
  private final Places places = new Places();
  private final Part.Text title;
  private final Map<String, Part.Text> defined = new LinkedHashMap<>();
  private final Map<String, List<Part.Text>> next = new LinkedHashMap<>();
  private final Map<String, Part.Table> tables = new LinkedHashMap<>();

  private StateListReader(Source source, Part.Text title) {
    this.problems = new Problems(source.name());
    this.title = title;
  }

  /** The machines, in the order of the text; none when no block lists states. */
  public static List<Definition> read(Source source) {
    List<Definition> found = new ArrayList<>();
    for (Fence fence : Fence.of(source.text().lines().toList())) {
      String info = fence.info().strip().toLowerCase(java.util.Locale.ROOT);
      boolean yaml = info.isEmpty() || info.startsWith("yaml") || info.startsWith("yml");
      if (yaml && fence.text().contains(NEXT)) {
        block(source, fence, found);
      }
    }
    return List.copyOf(found);
  }

  private static void block(Source source, Fence fence, List<Definition> found) {
    Block.Parsed parsed = Block.parse(fence.text(), fence.firstLine());
    for (Part document : parsed.documents()) {
      if (document instanceof Part.Table table) {
        for (Entry entry : table.entries()) {
          if (entry.value() instanceof Part.Table states && isList(entry.key(), states)) {
            found.add(new StateListReader(source, entry.key()).definition(source, states));
          }
        }
      }
    }
    Block.Fault fault = parsed.fault();
    if (fault != null) {
      Problems problems = new Problems(source.name());
      problems.error(
          "yaml-syntax",
          fault.place(),
          "Expected a list of states in YAML, but %s.".formatted(fault.why()),
          "");
      found.add(new Definition(source, null, new Places(), problems.list()));
    }
  }

  /** Whether the key names states, and at least one of them says what comes next. */
  private static boolean isList(Part.Text key, Part.Table states) {
    return (key.text().equals("states") || key.text().endsWith(SUFFIX))
        && states.entries().stream()
            .anyMatch(e -> e.value() instanceof Part.Table state && state.find(NEXT).isPresent());
  }

  private Definition definition(Source source, Part.Table states) {
    states.entries().forEach(this::define);
    undefined();
    Machine machine = tables.isEmpty() ? null : machine();
    return new Definition(source, machine, places, problems.list());
  }

  private void define(Entry entry) {
    String id = entry.key().text();
    Part.Text before = defined.get(id);
    if (before != null) {
      problems.error(
          "duplicate-state",
          entry.key().place(),
          "Expected every state once, but '%s' is also at line %d."
              .formatted(id, before.place().line()),
          "Give one of them another name.");
    } else if (!isName(entry.key())) {
      problems.error(
          "bad-name",
          entry.key().place(),
          "Expected the name of a state, without spaces and '->', but found another text.",
          "");
    } else if (!(entry.value() instanceof Part.Table table)) {
      problems.error(
          "wrong-type",
          entry.value().place(),
          "Expected a map with '%s' for the state '%s', but found another value."
              .formatted(NEXT, id),
          "");
    } else if (defined.size() < MOST_STATES) {
      defined.put(id, entry.key());
      tables.put(id, table);
      next.put(id, next(id, table));
    } else if (defined.size() == MOST_STATES) {
      defined.put(id, entry.key());
      problems.error(
          "too-many-states",
          entry.key().place(),
          "Expected at most %,d states, but there are more.".formatted(MOST_STATES),
          "");
    }
  }

  private static boolean isName(Part.Text text) {
    return NAME.matcher(text.text()).matches();
  }

  private List<Part.Text> next(String id, Part.Table state) {
    List<Part.Text> names = new ArrayList<>();
    Optional<Part> listed = state.find(NEXT);
    if (listed.isEmpty()) {
      return names;
    }
    List<Part> items =
        listed.get() instanceof Part.Listing(Place _, List<Part> all) ? all : List.of(listed.get());
    for (Part item : items) {
      if (item instanceof Part.Text text && isName(text)) {
        names.add(text);
      } else {
        problems.error(
            "wrong-type",
            item.place(),
            "Expected the name of a state that follows '%s', but found another value."
                .formatted(id),
            "");
      }
    }
    return names;
  }

  /** States that are named as a next one and never defined, each once. */
  private void undefined() {
    Map<String, Part.Text> first = new LinkedHashMap<>();
    Map<String, Set<String>> namedBy = new LinkedHashMap<>();
    next.forEach((from, names) -> {
      for (Part.Text name : names) {
        if (!defined.containsKey(name.text())) {
          first.putIfAbsent(name.text(), name);
          namedBy.computeIfAbsent(name.text(), _ -> new LinkedHashSet<>()).add(from);
        }
      }
    });
    first.forEach((name, mention) -> {
      Set<String> from = namedBy.getOrDefault(name, Set.of());
      String hint = Suggestion.hint(name, defined.keySet());
      problems.error(
          "unknown-target",
          mention.place(),
          "Expected '%s' to be defined in '%s', because %s, but it is not."
              .formatted(name, title.text(), leads(from)),
          hint.isEmpty() ? "Define it; a state that ends has an empty list of next states." : hint);
    });
  }

  private static String leads(Set<String> from) {
    return from.stream().map(f -> "'" + f + "'").collect(Collectors.joining(", "))
        + (from.size() == 1 ? " leads to it" : " lead to it");
  }

  private Machine machine() {
    State.Builder root = State.named(Machine.ROOT);
    int edges = 0;
    for (Map.Entry<String, Part.Table> entry : tables.entrySet()) {
      List<Part.Text> names = next.getOrDefault(entry.getKey(), List.of());
      edges += names.size();
      if (edges > MOST_EDGES) {
        problems.error(
            "too-many-edges",
            entry.getValue().place(),
            "Expected at most %,d ways to next states, but there are more.".formatted(MOST_EDGES),
            "");
        break;
      }
      root.child(state(entry.getKey(), entry.getValue(), names));
    }
    Transition start = Transition.to(tables.keySet().iterator().next());
    places.put(start, title.place());
    Machine machine =
        new Machine(
            name(),
            1,
            Machine.Mode.STRICT,
            null,
            List.of(),
            List.of(),
            root.initial(start).build(),
            List.of(),
            Limits.DEFAULT);
    places.put(machine, title.place());
    places.put(machine.root(), title.place());
    return machine;
  }

  private State state(String id, Part.Table table, List<Part.Text> names) {
    boolean ends =
        names.isEmpty() && table.find(NEXT).filter(p -> p instanceof Part.Listing).isPresent();
    State.Builder builder = State.named(id).kind(ends ? State.Kind.FINAL : State.Kind.STATE);
    Set<String> told = new LinkedHashSet<>();
    for (Part.Text name : names) {
      if (told.add(name.text())) {
        Transition transition = Transition.on("to_" + name.text(), name.text());
        places.put(transition, name.place());
        builder.transition(transition);
      }
    }
    if (!names.isEmpty()) {
      builder.waits("the list of states names no deadline");
    }
    State state = builder.note(note(table)).build();
    places.put(state, defined.getOrDefault(id, title).place());
    return state;
  }

  /** What else is said about the state, the description first and by itself. */
  private @Nullable String note(Part.Table table) {
    List<String> said = new ArrayList<>();
    for (Entry entry : table.entries()) {
      String key = entry.key().text();
      if (key.equals(NEXT)) {
        continue;
      }
      if (!(entry.value() instanceof Part.Text text)) {
        problems.warning(
            "unknown-key",
            entry.key().place(),
            "Expected a text for '%s', but found another value, which is not read.".formatted(key),
            "");
      } else if (key.equals("description")) {
        said.addFirst(text.text());
      } else {
        said.add(key + ": " + text.text());
      }
    }
    return said.isEmpty() ? null : String.join("; ", said);
  }

  private String name() {
    String key = title.text();
    String name = key.endsWith(SUFFIX) ? key.substring(0, key.length() - SUFFIX.length()) : key;
    return name.matches("[\\p{L}\\p{N}_.-]{1,200}") ? name : "states";
  }
}
