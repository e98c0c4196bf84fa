package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.draw.Options.Direction;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Machines of any shape, also shapes that no person would write. */
class AnyMachineTest {

  @Property(tries = 30)
  void words_stand_apart_whatever_the_shape(@ForAll Random random) {
    Machine machine = machine(random);
    Direction direction = random.nextBoolean() ? Direction.DOWN : Direction.RIGHT;
    Options options = Options.DEFAULT.direction(direction).badges(random.nextBoolean());
    String svg = Drawing.svg(machine, options);
    Picture picture = Picture.of(svg);

    assertThat(svg).isEqualTo(Drawing.svg(machine, options)).doesNotContain("<!--");
    assertThat(picture.with("data-state"))
        .extracting(e -> e.getAttribute("data-state"))
        .containsExactlyInAnyOrderElementsOf(DrawingTest.states(machine.root()));
    assertThat(picture.with("data-trigger")).hasSize(DrawingTest.edges(machine.root()).size());
    Geometry.check(picture);
  }

  @Property(tries = 20)
  void lines_cross_neither_boxes_nor_the_words_of_others(@ForAll Random random) {
    Sketch sketch = Sketcher.sketch(machine(random), true);
    Layout.place(sketch, Options.DEFAULT);

    Geometry.checkLines(sketch);
  }

  /** Up to thirty states, up to four levels deep, with any transitions between any of them. */
  static Machine machine(Random random) {
    List<String> ids = new ArrayList<>();
    int states = 2 + random.nextInt(28);
    for (int i = 0; i < states; i++) {
      ids.add("S" + i + "_".repeat(random.nextInt(12)));
    }
    State.Builder root = Examples.root();
    List<String> left = new ArrayList<>(ids);
    while (!left.isEmpty()) {
      root.child(state(random, left, ids, 1));
    }
    return Examples.machine("any", root.build());
  }

  private static State state(Random random, List<String> left, List<String> ids, int depth) {
    State.Builder state = State.named(left.removeFirst());
    int children = depth < 4 && random.nextInt(4) == 0 ? random.nextInt(5) : 0;
    for (int i = 0; i < children && !left.isEmpty(); i++) {
      state.child(state(random, left, ids, depth + 1));
    }
    if (children > 0 && random.nextInt(3) == 0) {
      state.kind(Kind.PARALLEL);
    } else if (children == 0) {
      List<Kind> kinds = List.of(Kind.values());
      state.kind(random.nextInt(3) == 0 ? kinds.get(random.nextInt(kinds.size())) : Kind.STATE);
    }
    for (int i = random.nextInt(4); i > 0; i--) {
      state.transition(transition(random, ids));
    }
    return state.build();
  }

  private static Transition transition(Random random, List<String> ids) {
    String target = ids.get(random.nextInt(ids.size()));
    String other = ids.get(random.nextInt(ids.size()));
    return switch (random.nextInt(7)) {
      case 0 -> Examples.after(Duration.ofMinutes(5), target);
      case 1 -> Transition.on("e" + random.nextInt(9), target).when(Guard.of("ctx.x > 1"));
      case 2 -> Transition.to(List.of(target, other));
      case 3 -> Transition.to(List.of()).when(Guard.of("ctx.long_name_of_a_field == 'x'"));
      default -> Transition.on("event_" + random.nextInt(9), target);
    };
  }
}
