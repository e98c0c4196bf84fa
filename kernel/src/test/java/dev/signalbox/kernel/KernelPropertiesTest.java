package dev.signalbox.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class KernelPropertiesTest {

  @Property(tries = 500)
  void the_same_input_gives_the_same_step(@ForAll long seed) {
    Chart chart = RandomCharts.nested(seed);
    Chart again = RandomCharts.nested(seed);
    List<Answer> first = walk(chart, seed, snapshot -> snapshot);
    List<Answer> second = walk(again, seed, snapshot -> snapshot);
    assertThat(second).isEqualTo(first);
  }

  @Property(tries = 500)
  void a_snapshot_written_and_read_back_continues_identically(@ForAll long seed) {
    Chart chart = RandomCharts.nested(seed);
    List<Answer> straight = walk(chart, seed, snapshot -> snapshot);
    List<Answer> restored =
        walk(chart, seed, s -> Snapshots.fromValue(chart, Snapshots.toValue(s)));
    assertThat(restored).isEqualTo(straight);
  }

  @Property(tries = 1_000)
  void the_fast_path_answers_as_the_plain_algorithm(@ForAll long seed) {
    Chart chart = seed % 2 == 0 ? RandomCharts.flat(seed) : RandomCharts.nested(seed);
    Random random = new Random(seed);
    if (!(Kernel.start(chart, "i-1", null, Map.of(), 0) instanceof Step start)) {
      return;
    }
    Snapshot snapshot = start.after();
    for (int i = 0; i < 30; i++) {
      Event event = event(random);
      Answer plain = Kernel.plainly(chart, snapshot, event, null, i, false, EmptyKeys.DISTINCT);
      assertThat(Kernel.step(chart, snapshot, event, i)).isEqualTo(plain);
      snapshot = plain instanceof Step step ? step.after() : snapshot;
    }
  }

  @Property(tries = 500)
  void every_configuration_is_legal(@ForAll long seed) {
    Chart chart = RandomCharts.nested(seed);
    for (Answer answer : walk(chart, seed, snapshot -> snapshot)) {
      if (answer instanceof Step step) {
        Configuration active = step.after().configuration();
        for (Node node : chart.nodes) {
          if (!active.contains(node.index)) {
            continue;
          }
          assertThat(node.parent == null || active.contains(node.parent.index)).isTrue();
          long inside =
              java.util.Arrays.stream(node.children).filter(c -> active.contains(c.index)).count();
          if (node.isParallel()) {
            assertThat(inside).isEqualTo(node.children.length);
          } else if (node.isCompound()) {
            assertThat(inside).isEqualTo(1);
          }
        }
      }
    }
  }

  private static List<Answer> walk(
      Chart chart, long seed, java.util.function.UnaryOperator<Snapshot> between) {
    Random random = new Random(seed);
    List<Answer> answers = new ArrayList<>();
    Answer answer = Kernel.start(chart, "i-1", null, Map.of(), 0);
    answers.add(answer);
    if (!(answer instanceof Step start)) {
      return answers;
    }
    Snapshot snapshot = between.apply(start.after());
    for (int i = 0; i < 30; i++) {
      List<Timer> timers = snapshot.memory().timers();
      if (!timers.isEmpty() && random.nextInt(3) == 0) {
        answer = Kernel.fire(chart, snapshot, timers.getFirst().id(), timers.getFirst().due());
      } else {
        answer = Kernel.step(chart, snapshot, event(random), i);
      }
      answers.add(answer);
      snapshot = between.apply(answer instanceof Step step ? step.after() : snapshot);
    }
    return answers;
  }

  private static Event event(Random random) {
    String name = RandomCharts.EVENTS.get(random.nextInt(RandomCharts.EVENTS.size()));
    return Event.external(
        name, random.nextBoolean() ? Map.of("x", (long) random.nextInt(2)) : null);
  }
}
