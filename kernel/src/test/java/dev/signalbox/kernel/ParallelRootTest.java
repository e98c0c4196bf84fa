package dev.signalbox.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A machine whose root is a parallel state. */
class ParallelRootTest {
  @Test
  void regions_at_the_top_start_together_and_end_together() {
    Chart chart = KernelTest.chart(parallel());
    Snapshot at = KernelTest.started(chart);
    assertThat(at.configuration().leaves()).containsExactly("A", "C");
    at = KernelTest.sent(chart, at, "go").after();
    assertThat(at.done()).isFalse();
    assertThat(at.configuration().leaves()).containsExactly("B", "C");
    assertThat(KernelTest.sent(chart, at, "over").after().configuration().leaves())
        .containsExactly("A", "C");
    assertThat(KernelTest.sent(chart, at, "run").after().done()).isTrue();
  }

  private static Machine parallel() {
    State left =
        State.named("LEFT")
            .child(State.named("A").transition(Transition.on("go", "B")).build())
            .child(KernelTest.finalState("B"))
            .build();
    State right =
        State.named("RIGHT")
            .child(
                State.named("C")
                    .transition(Transition.on("run", "D"))
                    .transition(Transition.on("over", "A"))
                    .build())
            .child(KernelTest.finalState("D"))
            .build();
    State root =
        State.named(Machine.ROOT).kind(State.Kind.PARALLEL).child(left).child(right).build();
    return new Machine(
        "m", 1, Machine.Mode.STRICT, null, List.of(), List.of(), root, List.of(), Limits.DEFAULT);
  }
}
