package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.definition.play.Stimulus;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Replays a refutation on the machine as it was written, with nothing but the kernel: the last
 * stimulus must be refused for the invariant, or break it.
 */
final class Replay {
  private final Chart chart;
  private @Nullable Snapshot snapshot;
  private long now;
  private final List<String> broken = new ArrayList<>();

  private Replay(Machine machine) {
    chart = Chart.compile(machine, CelExpressions.of(machine));
  }

  static void shows(Definition definition, Verdict.Refuted refuted) {
    shows(Objects.requireNonNull(definition.machine()), refuted);
  }

  static void shows(Machine machine, Verdict.Refuted refuted) {
    Replay replay = new Replay(machine);
    replay.play(refuted.sequence());
    if (!refuted.why().contains("for ever") && !refuted.why().contains("no way leads")) {
      assertThat(replay.broken).anyMatch(b -> b.contains(refuted.invariant().name()));
    }
  }

  private void play(List<Stimulus> sequence) {
    Map<String, @Nullable Object> input =
        !sequence.isEmpty() && sequence.getFirst() instanceof Stimulus.Start(var given)
            ? given
            : Map.of();
    take(Kernel.start(chart, "i", null, input, 0));
    for (Stimulus stimulus : sequence) {
      assertThat(broken).as("broken before the last stimulus").isEmpty();
      switch (stimulus) {
        case Stimulus.Start _ -> {}
        case Stimulus.Send(var name, var data, var actor) ->
            take(Kernel.step(chart, at(), Event.external(name, data, actor), now));
        case Stimulus.Wait(var time) -> pass(now + time.toMillis());
      }
    }
  }

  private Snapshot at() {
    return Objects.requireNonNull(snapshot);
  }

  private void pass(long until) {
    Optional<Timer> next = next(until);
    while (next.isPresent() && broken.isEmpty()) {
      now = next.get().due();
      take(Kernel.fire(chart, at(), next.get().id(), now));
      next = next(until);
    }
    now = until;
  }

  private Optional<Timer> next(long until) {
    return at().memory().timers().stream()
        .filter(t -> t.due() <= until)
        .min(Comparator.comparingLong(Timer::due));
  }

  private void take(Answer answer) {
    switch (answer) {
      case Step step -> {
        snapshot = step.after();
        step.violations().forEach(v -> broken.add(v.message()));
        for (Step.Message message : step.messages()) {
          if (message.to().equals("i")) {
            take(Kernel.step(chart, at(), message.event(), now));
          }
        }
      }
      case Rejection rejection -> {
        assertThat(rejection.code()).isEqualTo(Rejection.Code.INVARIANT_BROKEN);
        broken.add(rejection.message());
      }
    }
  }
}
