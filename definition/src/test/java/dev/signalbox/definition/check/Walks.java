package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Machine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Random walks through a machine, checked against its exploration. */
final class Walks {
  private final Definition definition;
  private final Chart chart;
  private final Guesses guesses;
  private final ModelChecker model;
  private final Set<List<String>> explored = new HashSet<>();
  private final Map<String, Verdict> verdicts = new HashMap<>();
  private final List<String> events;
  private int steps;

  Walks(Definition definition) {
    this.definition = definition;
    Machine machine = Objects.requireNonNull(definition.machine());
    Outline outline = new Outline(machine);
    Content content = new Content(outline);
    Syntax syntax = new Syntax();
    model = new ModelChecker(machine, outline, content, syntax, CheckOptions.DEFAULT);
    model.exploration().configurations.forEach(c -> explored.add(c.states()));
    model.verdicts().forEach(v -> verdicts.put(v.invariant().name(), v));
    CelExpressions expressions = CelExpressions.of(machine);
    chart = Chart.compile(AbstractMachine.reporting(machine), expressions);
    guesses = new Guesses(machine, content, syntax);
    events = new Alphabet(outline, content).events();
  }

  int steps() {
    return steps;
  }

  void walk(long seed, int length) {
    Random random = new Random(seed);
    List<Map<String, @Nullable Object>> inputs = new ArrayList<>(List.of(Map.of()));
    inputs.addAll(guesses.inputs(model.inputs()));
    Scene scene = Scene.start(chart, inputs.get(random.nextInt(inputs.size())));
    List<String> told = new ArrayList<>();
    for (int i = 0; i < length && scene != null && !scene.snapshot().done(); i++) {
      if (look(scene, seed, told)) {
        return;
      }
      Scene next = next(scene, random, told);
      scene = next == null ? scene : next;
    }
    if (scene != null) {
      look(scene, seed, told);
    }
  }

  private @Nullable Scene next(Scene scene, Random random, List<String> told) {
    Timer timer = scene.earliest();
    Stimulus stimulus;
    if (timer != null && random.nextInt(4) == 0) {
      stimulus = new Stimulus.Wait(Duration.ofMillis(Math.max(0, timer.due() - scene.now())));
    } else {
      String event = events.get(random.nextInt(events.size()));
      List<Stimulus.Send> sends = guesses.sends(event, scene, Knowledge.Cause.NONE);
      stimulus = sends.get(random.nextInt(sends.size()));
    }
    Scene after = scene.after(stimulus);
    if (after != null) {
      told.add(stimulus.line().toString());
      steps++;
    }
    return after;
  }

  /** Compares the scene with the exploration; true when the machine itself would refuse it. */
  private boolean look(Scene scene, long seed, List<String> told) {
    Machine machine = Objects.requireNonNull(definition.machine());
    for (Step step : scene.steps()) {
      for (Step.Violation violation : step.violations()) {
        assertThat(verdicts.get(violation.invariant()))
            .as("seed %d breaks %s: %s", seed, violation.message(), told)
            .isNotInstanceOf(Verdict.Proved.class);
        boolean fatal =
            machine.invariants().stream()
                .anyMatch(
                    i -> i.name().equals(violation.invariant()) && i.severity() == Severity.FATAL);
        if (fatal) {
          return true;
        }
      }
    }
    assertThat(explored)
        .as("seed %d: %s", seed, told)
        .contains(scene.snapshot().configuration().states());
    return false;
  }
}
