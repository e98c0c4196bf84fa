package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a machine as people count it: its named states, and every arrow a drawing of it has,
 * those from a start dot and to an end dot included.
 *
 * <p>Implicit states (see {@link #isImplicit}) are no states here; their arrows belong to the dots
 * they stand for. A transition without target counts as an arrow back to its source.
 *
 * @param states in document order
 * @param edges in document order of their sources
 */
public record Graph(List<Vertex> states, List<Edge> edges) {

  /** The name of every dot. */
  public static final String DOT = "[*]";

  /** The code of the problem that a drawing shows no start. */
  public static final String MISSING_START = "missing-start";

  public Graph {
    states = List.copyOf(states);
    edges = List.copyOf(edges);
  }

  /**
   * A named state.
   *
   * @param within the nearest named state around it; empty at the top
   */
  public record Vertex(String id, String within) {}

  /**
   * An arrow.
   *
   * @param from a state, or {@link #DOT}
   * @param to a state, or {@link #DOT}
   * @param label its prose, or its trigger as people write it
   */
  public record Edge(String from, String to, String label) {}

  /**
   * The graph of a machine. A machine that names no initial state starts at its first one, and that
   * arrow counts; a state inside that names none has no such arrow.
   */
  public static Graph of(Machine machine) {
    return of(machine, true);
  }

  /** The graph of what was read: as a drawing without a start has it, where one was read. */
  public static Graph of(Definition definition) {
    Machine machine = definition.machine();
    boolean started =
        definition.problems().stream()
            .noneMatch(p -> p.isError() && p.code().equals(MISSING_START));
    return machine == null ? new Graph(List.of(), List.of()) : of(machine, started);
  }

  private static Graph of(Machine machine, boolean started) {
    Collector collector = new Collector();
    State root = machine.root();
    if (started && root.initial() == null && !root.children().isEmpty()) {
      collector.edges.add(new Edge(DOT, root.children().getFirst().id(), ""));
    }
    collector.visit(root, null, "");
    return new Graph(collector.states, collector.edges);
  }

  /** Whether both have the same states in the same places and the same arrows, labels aside. */
  public boolean sameAs(Graph other) {
    return sorted(states).equals(sorted(other.states)) && arrows().equals(other.arrows());
  }

  private static List<Vertex> sorted(List<Vertex> vertices) {
    return vertices.stream()
        .sorted(Comparator.comparing(Vertex::id).thenComparing(Vertex::within))
        .toList();
  }

  private List<String> arrows() {
    return edges.stream().map(e -> e.from + "\n" + e.to).sorted().toList();
  }

  /**
   * Whether the state stands for something a drawing leaves without a name: a dot ({@code $start},
   * {@code $end}, {@code X.$end}) or a part of a parallel state ({@code X.region1}).
   */
  public static boolean isImplicit(State state, @Nullable State parent) {
    return isStart(state) || isEnd(state) || isRegion(state, parent);
  }

  /** Whether the state stands for a start dot with several arrows. */
  public static boolean isStart(State state) {
    return state.kind() == State.Kind.STATE && isNamed(state, "$start");
  }

  /** Whether the state stands for an end dot. */
  public static boolean isEnd(State state) {
    return state.kind() == State.Kind.FINAL && isNamed(state, "$end");
  }

  /** Whether the state stands for a part of a parallel state. */
  public static boolean isRegion(State state, @Nullable State parent) {
    if (parent == null || parent.kind() != State.Kind.PARALLEL) {
      return false;
    }
    String prefix = parent.id() + ".region";
    String id = state.id();
    return id.length() > prefix.length()
        && id.startsWith(prefix)
        && id.substring(prefix.length()).chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static boolean isNamed(State state, String name) {
    return state.id().equals(name) || state.id().endsWith("." + name);
  }

  private static final class Collector {
    private final List<Vertex> states = new ArrayList<>();
    private final List<Edge> edges = new ArrayList<>();

    void visit(State state, @Nullable State parent, String within) {
      boolean root = parent == null;
      boolean implicit = root || isImplicit(state, parent);
      if (!implicit) {
        states.add(new Vertex(state.id(), within));
      }
      Transition initial = state.initial();
      if (initial != null && !leadsToStart(state, initial)) {
        arrows(state.kind().isHistory() ? state.id() : DOT, initial);
      }
      for (Transition transition : state.transitions()) {
        arrows(isStart(state) ? DOT : state.id(), transition);
      }
      if (state.kind() == State.Kind.FINAL && !implicit) {
        edges.add(new Edge(state.id(), DOT, ""));
      }
      for (State child : state.children()) {
        visit(child, state, implicit ? within : state.id());
      }
    }

    private void arrows(String from, Transition transition) {
      String label = transition.label() == null ? transition.trigger().text() : transition.label();
      if (transition.targets().isEmpty()) {
        edges.add(new Edge(from, from, label));
      }
      for (String target : transition.targets()) {
        boolean end = target.equals("$end") || target.endsWith(".$end");
        edges.add(new Edge(from, end ? DOT : target, label));
      }
    }

    private static boolean leadsToStart(State state, Transition initial) {
      return initial.targets().size() == 1
          && state.children().stream()
              .anyMatch(c -> isStart(c) && c.id().equals(initial.targets().getFirst()));
    }
  }
}
