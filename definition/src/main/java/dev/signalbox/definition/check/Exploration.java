package dev.signalbox.definition.check;

import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an exploration found: every abstract state, in the order of its distance from the start. */
final class Exploration {
  /** More ways than this to break the same thing are not kept. */
  private static final int MOST_FINDINGS = 16;

  /**
   * A step that the exploration took and that something is to be said about.
   *
   * @param from where it was taken; null for the start
   * @param sure whether it certainly shows what it is kept for, given its path
   */
  record Finding(
      @Nullable Vertex from, Occurrence occurrence, Knowledge.Cause cause, boolean sure) {
    int depth() {
      return from == null ? 0 : from.depth + 1;
    }
  }

  final List<Vertex> vertices = new ArrayList<>();
  final Set<Configuration> configurations = new HashSet<>();
  final Map<String, List<Finding>> violations = new LinkedHashMap<>();
  final List<Finding> endless = new ArrayList<>();
  final IdentityHashMap<Transition, List<Finding>> taken = new IdentityHashMap<>();
  final Set<String> cuts = new LinkedHashSet<>();
  Set<String> blurred = Set.of();
  final Set<String> entered = new HashSet<>();

  /** The kinds of records that were emitted, and the events that were taken. */
  final Set<String> emitted = new HashSet<>();

  final Set<String> received = new HashSet<>();

  /** Why starts were refused. */
  final Set<String> refusals = new LinkedHashSet<>();

  /** Where a timer or the end of a child may be refused, which halts the instance; and what. */
  final Map<Vertex, String> stalls = new LinkedHashMap<>();

  /** What needs nobody from outside and reads data that may not be there. */
  final Set<String> risks = new LinkedHashSet<>();

  long steps;

  /** Whether everything the machine can do was seen. */
  boolean isComplete() {
    return cuts.isEmpty();
  }

  void violated(String invariant, Finding finding) {
    List<Finding> all = violations.computeIfAbsent(invariant, _ -> new ArrayList<>());
    if (all.size() < MOST_FINDINGS) {
      all.add(finding);
    }
  }

  /** Whether another step that takes the transition is worth keeping. */
  boolean isNews(Transition transition) {
    List<Finding> all = taken.get(transition);
    return all == null || all.size() < MOST_FINDINGS;
  }

  void took(Transition transition, Finding finding) {
    List<Finding> all = taken.computeIfAbsent(transition, _ -> new ArrayList<>());
    if (all.size() < MOST_FINDINGS) {
      all.add(finding);
    }
  }

  void ranEndlessly(Finding finding) {
    if (endless.size() < MOST_FINDINGS) {
      endless.add(finding);
    }
  }

  /** Whether every way out of the vertex is known. */
  boolean isFinished(Vertex vertex) {
    return vertex.isFinished;
  }
}
