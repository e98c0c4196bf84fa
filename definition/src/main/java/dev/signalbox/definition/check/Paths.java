package dev.signalbox.definition.check;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Edge;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Transition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Short sequences of events that together take every transition of a machine, each played by the
 * kernel: test cases for the machine and for what is built around it.
 *
 * @param cases no case is needless: each takes a transition that no other one takes
 * @param missed transitions that no sequence was found for, with the reason
 */
public record Paths(List<Case> cases, List<Missed> missed) {

  public Paths {
    cases = List.copyOf(cases);
    missed = List.copyOf(missed);
  }

  /**
   * One test case.
   *
   * @param covers the transitions it takes, in order
   * @param endsIn the states that are active at its end
   */
  public record Case(
      String name, List<Stimulus> sequence, List<Covered> covers, List<String> endsIn) {
    public Case {
      sequence = List.copyOf(sequence);
      covers = List.copyOf(covers);
      endsIn = List.copyOf(endsIn);
    }
  }

  /** A transition that is taken, with its guard where it has one. */
  public record Covered(Edge edge, @Nullable String guard) {

    /** The transition for a person: {@code A -> B on event [guard]}. */
    public String text() {
      String to = edge.to().isEmpty() ? edge.from() : String.join(", ", edge.to());
      String on = edge.trigger().isEmpty() ? "" : " on " + edge.trigger();
      return edge.from() + " -> " + to + on + (guard == null ? "" : " [" + guard + "]");
    }
  }

  /** A transition without a case. */
  public record Missed(Covered transition, String why) {}

  /**
   * The cases of the machine; empty when the definition has errors that keep it from running.
   *
   * @throws IllegalArgumentException when the machine is not sound; check it first
   */
  public static Optional<Paths> of(Definition definition, CheckOptions options) {
    Machine machine = definition.machine();
    if (machine == null || definition.problems().stream().anyMatch(Problem::isError)) {
      return Optional.empty();
    }
    Inspection in = new Inspection(definition, machine);
    ModelChecker model =
        new ModelChecker(machine, in.outline(), in.content(), new Syntax(), options);
    return Optional.of(new Cover(model).paths());
  }

  /** The search for a small set of cases. */
  private static final class Cover {
    private static final int MOST_TRIALS = 3;

    private final ModelChecker model;
    private final IdentityHashMap<Transition, Covered> names = new IdentityHashMap<>();
    private final Set<Transition> covered = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Found> found = new ArrayList<>();
    private final List<Missed> missed = new ArrayList<>();

    private record Found(Case made, Set<Transition> takes) {}

    Cover(ModelChecker model) {
      this.model = model;
      for (Edges.Owned owned : model.edges().all()) {
        names.put(owned.transition(), covered(owned));
      }
    }

    Paths paths() {
      // The farthest first: on their way they take most of the others.
      List<Edges.Owned> all = new ArrayList<>(model.edges().all());
      all.sort(Comparator.comparingInt(this::depth).reversed());
      for (Edges.Owned owned : all) {
        if (!covered.contains(owned.transition())) {
          find(owned);
        }
      }
      dropNeedless();
      return new Paths(found.stream().map(Found::made).toList(), missed);
    }

    private int depth(Edges.Owned owned) {
      List<Exploration.Finding> ways = ways(owned);
      return ways.isEmpty() ? 0 : ways.getFirst().depth();
    }

    private List<Exploration.Finding> ways(Edges.Owned owned) {
      return model.exploration().taken.getOrDefault(owned.transition(), List.of());
    }

    private void find(Edges.Owned owned) {
      Transition wanted = owned.transition();
      List<Exploration.Finding> ways = ways(owned);
      for (Exploration.Finding way : ways.stream().limit(MOST_TRIALS).toList()) {
        Optional<Realiser.Realised> realised =
            model.realiser().reach(way, scene -> takes(scene, wanted));
        if (realised.isPresent()) {
          add(wanted, realised.get());
          return;
        }
      }
      if (!ways.isEmpty()) {
        Optional<Realiser.Realised> searched = model.search().taking(wanted);
        if (searched.isPresent()) {
          add(wanted, searched.get());
          return;
        }
      }
      String why =
          !ways.isEmpty()
              ? "no data was found that lets it be taken: " + ModelChecker.text(ways.getFirst())
              : model.exploration().isComplete()
                  ? "nothing that the machine can do takes it"
                  : "it was not reached within the bound";
      missed.add(new Missed(names.getOrDefault(wanted, covered(owned)), why));
    }

    private boolean takes(Scene scene, Transition wanted) {
      Set<Transition> taken = Collections.newSetFromMap(new IdentityHashMap<>());
      scene.steps().forEach(step -> model.edges().taken(step, taken::add));
      return taken.contains(wanted);
    }

    private void add(Transition wanted, Realiser.Realised realised) {
      Chart chart = realised.end().chart();
      Set<Transition> takes = Collections.newSetFromMap(new IdentityHashMap<>());
      Set<Covered> inOrder = new LinkedHashSet<>();
      Map<String, @Nullable Object> input =
          !realised.sequence().isEmpty()
                  && realised.sequence().getFirst()
                      instanceof Stimulus.Start(Map<String, @Nullable Object> given)
              ? given
              : Map.of();
      Scene scene = Scene.start(chart, input);
      for (Stimulus stimulus : realised.sequence()) {
        if (scene != null && !(stimulus instanceof Stimulus.Start)) {
          note(scene.steps(), takes, inOrder);
          scene = scene.after(stimulus);
        }
      }
      if (scene == null) {
        return;
      }
      note(scene.steps(), takes, inOrder);
      covered.addAll(takes);
      Covered last = names.get(wanted);
      found.add(
          new Found(
              new Case(
                  last == null ? "start" : last.text(),
                  realised.sequence(),
                  List.copyOf(inOrder),
                  scene.snapshot().configuration().leaves()),
              takes));
    }

    private void note(List<Step> steps, Set<Transition> takes, Set<Covered> inOrder) {
      for (Step step : steps) {
        model
            .edges()
            .taken(
                step,
                transition -> {
                  takes.add(transition);
                  Covered name = names.get(transition);
                  if (name != null) {
                    inOrder.add(name);
                  }
                });
      }
    }

    private void dropNeedless() {
      for (Found candidate : List.copyOf(found)) {
        Set<Transition> others = Collections.newSetFromMap(new IdentityHashMap<>());
        found.stream().filter(f -> f != candidate).forEach(f -> others.addAll(f.takes()));
        if (others.containsAll(candidate.takes())) {
          found.remove(candidate);
        }
      }
      found.sort(Comparator.comparingInt((Found f) -> f.made().sequence().size()));
    }

    private static Covered covered(Edges.Owned owned) {
      Transition transition = owned.transition();
      Guard guard = transition.guard();
      String name =
          guard == null ? null : guard.name() != null ? guard.name() : guard.condition().text();
      Edge edge = new Edge(owned.state().id(), transition.trigger().text(), transition.targets());
      return new Covered(edge, name);
    }
  }
}
