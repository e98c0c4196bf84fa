package dev.signalbox.definition.draw;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.draw.Wire.Point;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which layout a machine gets, and what it does to the lines. */
class LayoutTest {

  @ParameterizedTest
  @ValueSource(ints = {300, 1_000, Limits.STATES})
  @Timeout(60)
  void a_large_machine_is_drawn_whole_and_says_that_it_is_simplified(int states) {
    Machine machine = failing(states);
    String svg = Drawing.svg(machine, Options.DEFAULT);
    Picture picture = Picture.of(svg);

    assertThat(svg).contains("<!-- Too large for a layered layout");
    assertThat(picture.with("data-state")).hasSize(states);
    assertThat(picture.with("data-trigger")).hasSize(2 * states - 2);
    assertThat(svg).isEqualTo(Drawing.svg(machine, Options.DEFAULT));
  }

  @Test
  void the_effort_grows_with_the_length_of_the_lines() {
    long chain = Effort.of(Sketcher.sketch(failing(40), true));
    long twice = Effort.of(Sketcher.sketch(failing(80), true));

    assertThat(twice).isBetween(3 * chain, 5 * chain);
  }

  @Test
  @Timeout(60)
  void the_deepest_nesting_is_drawn() {
    State state = State.named("S" + Limits.DEPTH).build();
    for (int level = Limits.DEPTH - 1; level > 0; level--) {
      state = State.named("S" + level).child(state).build();
    }
    Machine machine = Examples.machine("deep", Examples.root().child(state).build());

    assertThat(Picture.of(Drawing.svg(machine, Options.DEFAULT)).with("data-state"))
        .hasSize(Limits.DEPTH);
  }

  @Test
  void a_state_that_many_fail_into_is_a_sink() {
    Sketch sketch = Sketcher.sketch(failing(6), true);
    Layout.place(sketch, Options.DEFAULT);
    List<Wire> trunk = sketch.wires().stream().filter(wire -> wire.shared).toList();

    assertThat(trunk).extracting(wire -> wire.to.id).containsOnly("S5").hasSizeGreaterThan(3);
    assertThat(trunk).extracting(wire -> wire.points.getLast()).containsOnly(end(trunk));
  }

  @Test
  void a_state_that_leads_back_is_no_sink() {
    Machine machine =
        TransitionTable.machine(
            "m", List.of("(start),,A", "A,b,B", "A,c,C", "B,d,D", "C,d,D", "A,d,D", "D,again,A"));
    Sketch sketch = Sketcher.sketch(machine, true);
    Layout.place(sketch, Options.DEFAULT);

    assertThat(sketch.wires()).noneMatch(wire -> wire.shared);
  }

  @Test
  void regions_stand_side_by_side_between_dashed_lines() {
    Sketch sketch = Sketcher.sketch(Examples.player(), true);
    Layout.place(sketch, Options.DEFAULT);
    Box active =
        sketch.boxes().stream().filter(box -> box.id.equals("active")).findFirst().orElseThrow();
    List<Regions.Divider> dividers = Regions.dividers(active);

    assertThat(dividers).hasSize(1);
    assertThat(dividers.getFirst().from().x()).isEqualTo(dividers.getFirst().to().x());
  }

  @Test
  void a_small_step_is_taken_out_of_a_line() {
    Box canvas = new Box(Box.Shape.CANVAS, null, "", "", "canvas", "");
    Wire wire = new Wire(box(canvas, 0), box(canvas, 200), "transition");
    wire.points =
        List.of(new Point(30, 36), new Point(30, 90), new Point(34, 90), new Point(34, 200));
    Jogs.straighten(new Sketch(canvas, List.of(wire)));

    assertThat(wire.points).containsExactly(new Point(30, 36), new Point(30, 200));
  }

  @Test
  void a_small_step_stays_where_the_straight_line_would_touch_another() {
    Box canvas = new Box(Box.Shape.CANVAS, null, "", "", "canvas", "");
    Wire wire = new Wire(box(canvas, 0), box(canvas, 200), "transition");
    Wire other = new Wire(box(canvas, 0), box(canvas, 200), "transition");
    List<Point> stepped =
        List.of(new Point(30, 36), new Point(30, 90), new Point(34, 90), new Point(34, 200));
    wire.points = stepped;
    other.points = List.of(new Point(32, 36), new Point(32, 200));
    Jogs.straighten(new Sketch(canvas, List.of(wire, other)));

    assertThat(wire.points).isEqualTo(stepped);
  }

  private static Box box(Box canvas, double y) {
    Box box = new Box(Box.Shape.ATOM, canvas, "S" + y, "S", "state", "");
    box.y = y;
    box.width = 76;
    box.height = 36;
    return box;
  }

  private static Point end(List<Wire> wires) {
    return wires.getFirst().points.getLast();
  }

  /** A chain in which every state can fail into the last. */
  private static Machine failing(int states) {
    State.Builder root = Examples.root();
    for (int i = 0; i < states; i++) {
      State.Builder state = State.named("S" + i);
      if (i < states - 1) {
        state.transition(Transition.on("next", "S" + (i + 1)));
        state.transition(Transition.on("fail", "S" + (states - 1)));
      }
      root.child(state.build());
    }
    return Examples.machine("chain", root.build());
  }
}
