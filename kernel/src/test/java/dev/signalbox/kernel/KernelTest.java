package dev.signalbox.kernel;

import static dev.signalbox.kernel.machine.Operand.expr;
import static dev.signalbox.kernel.machine.Operand.literal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KernelTest {

  private static final Field N = Field.of("n", Type.INT, literal(0L));

  static Machine machine(List<Field> context, List<Invariant> invariants, State... states) {
    State.Builder root = State.named(Machine.ROOT);
    for (State state : states) {
      root.child(state);
    }
    return new Machine(
        "m",
        1,
        Machine.Mode.STRICT,
        null,
        context,
        List.of(),
        root.build(),
        invariants,
        Limits.DEFAULT);
  }

  static Chart chart(Machine machine) {
    return Chart.compile(machine, new ScriptedExpressions());
  }

  static Chart chart(State... states) {
    return chart(machine(List.of(N), List.of(), states));
  }

  static State.Builder state(String id) {
    return State.named(id);
  }

  static State finalState(String id) {
    return State.named(id).kind(State.Kind.FINAL).build();
  }

  static Snapshot started(Chart chart) {
    return ((Step) Kernel.start(chart, "i-1", null, Map.of(), 0)).after();
  }

  static Step sent(Chart chart, Snapshot before, String event) {
    return (Step) Kernel.step(chart, before, Event.external(event), 0);
  }

  static Rejection refused(Chart chart, Snapshot before, String event) {
    return (Rejection) Kernel.step(chart, before, Event.external(event), 0);
  }

  private static Transition after(String delay, String target, boolean cumulative) {
    Duration duration = dev.signalbox.kernel.machine.Durations.parse(delay).orElseThrow();
    return new Transition(
        new Trigger.After(literal(duration), null, cumulative),
        null,
        List.of(target),
        false,
        List.of(),
        null);
  }

  @Test
  void an_event_takes_the_transition_that_waits_for_it() {
    Chart chart = chart(state("a").transition(Transition.on("go", "b")).build(), finalState("b"));
    Step step = sent(chart, started(chart), "go");
    assertThat(step.after().configuration().states()).containsExactly("b");
    assertThat(step.after().done()).isTrue();
    assertThat(step.microsteps())
        .containsExactly(
            new Microstep(
                "go", List.of(new Edge("a", "go", List.of("b"))), List.of("a"), List.of("b")));
  }

  @Test
  void an_event_nothing_waits_for_is_rejected_with_what_is_awaited() {
    Chart chart = chart(state("a").transition(Transition.on("go", "b")).build(), finalState("b"));
    Rejection rejection = refused(chart, started(chart), "stop");
    assertThat(rejection.code()).isEqualTo(Rejection.Code.NO_TRANSITION);
    assertThat(rejection.message())
        .isEqualTo(
            "Expected to send 'stop' to 'i-1', but nothing in a waits for it. Awaited there: go.");
  }

  @Test
  void a_guard_that_says_no_is_named_in_the_rejection() {
    Transition guarded = Transition.on("go", "b").when(new Guard("one", expr("n == 1")));
    Chart chart = chart(state("a").transition(guarded).build(), finalState("b"));
    Rejection rejection = refused(chart, started(chart), "go");
    assertThat(rejection.code()).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(rejection.message()).contains("guard 'one' said no");
    assertThat(rejection.guards()).hasSize(1);
  }

  @Test
  void a_final_instance_takes_no_more_events() {
    Chart chart = chart(state("a").transition(Transition.on("go", "b")).build(), finalState("b"));
    Snapshot ended = sent(chart, started(chart), "go").after();
    assertThat(refused(chart, ended, "go").code()).isEqualTo(Rejection.Code.INSTANCE_FINAL);
  }

  @Test
  void a_failing_expression_refuses_the_whole_step_in_strict_mode() {
    Transition move =
        Transition.on("go", "b")
            .doing(
                List.of(
                    new Action.Assign("n", literal(5L)), new Action.Assign("n", expr("1 / 0"))));
    Chart chart = chart(state("a").transition(move).build(), finalState("b"));
    Snapshot before = started(chart);
    assertThat(refused(chart, before, "go").code()).isEqualTo(Rejection.Code.EXPRESSION_FAILED);
    assertThat(before.context().value("n")).isEqualTo(0L);
  }

  @Test
  void a_value_of_another_type_cannot_be_assigned_in_strict_mode() {
    Transition move =
        Transition.on("go", "b").doing(List.of(new Action.Assign("n", literal("text"))));
    Chart chart = chart(state("a").transition(move).build(), finalState("b"));
    assertThat(refused(chart, started(chart), "go").message())
        .contains("n is of type int, not string");
  }

  @Test
  void an_assignment_to_an_undeclared_field_does_not_compile() {
    Transition move = Transition.on("go", "b").doing(List.of(new Action.Assign("m", literal(1L))));
    assertThatThrownBy(() -> chart(state("a").transition(move).build(), finalState("b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("declares no field 'm'");
  }

  @Test
  void a_deadline_is_scheduled_on_entry_and_cancelled_on_exit() {
    Chart chart =
        chart(
            state("a")
                .transition(after("5m", "late", false))
                .transition(Transition.on("go", "b"))
                .build(),
            state("b").transition(Transition.on("back", "a")).build(),
            finalState("late"));
    Snapshot started = started(chart);
    assertThat(started.memory().timers()).hasSize(1);
    assertThat(started.memory().timers().getFirst().due()).isEqualTo(300_000);
    assertThat(sent(chart, started, "go").after().memory().timers()).isEmpty();
    Step fired = (Step) Kernel.fire(chart, started, "after:a:5m", 300_000);
    assertThat(fired.after().configuration().states()).containsExactly("late");
    assertThat(fired.timers()).containsExactly(new TimerChange.Fired("after:a:5m"));
  }

  @Test
  void an_external_event_with_a_deadline_s_name_does_not_pass_for_the_timer() {
    Transition deadline =
        new Transition(
            new Trigger.After(literal(Duration.ofSeconds(1)), "deadline", false),
            null,
            List.of("late"),
            false,
            List.of(),
            null);
    Chart chart = chart(state("a").transition(deadline).build(), finalState("late"));
    Snapshot started = started(chart);
    assertThat(refused(chart, started, "deadline").code()).isEqualTo(Rejection.Code.NO_TRANSITION);
    assertThat(((Step) Kernel.fire(chart, started, "after:a:deadline", 1_000)).after().done())
        .isTrue();
  }

  @Test
  void a_cumulative_clock_stands_still_while_the_state_is_left() {
    Chart chart =
        chart(
            state("a")
                .transition(after("30m", "late", true))
                .transition(Transition.on("go", "b"))
                .build(),
            state("b").transition(Transition.on("back", "a")).build(),
            finalState("late"));
    Snapshot away =
        ((Step) Kernel.step(chart, started(chart), Event.external("go"), 600_000)).after();
    Snapshot back = ((Step) Kernel.step(chart, away, Event.external("back"), 10_000_000)).after();
    assertThat(back.memory().timers().getFirst().due()).isEqualTo(10_000_000 + 1_200_000);
  }

  @Test
  void a_timer_that_was_cancelled_cannot_fire() {
    Chart chart =
        chart(
            state("a")
                .transition(after("1s", "late", false))
                .transition(Transition.on("go", "b"))
                .build(),
            state("b").build(),
            finalState("late"));
    Snapshot away = sent(chart, started(chart), "go").after();
    assertThat(((Rejection) Kernel.fire(chart, away, "after:a:1s", 1_000)).code())
        .isEqualTo(Rejection.Code.TIMER_NOT_PENDING);
  }

  @Test
  void leaving_a_state_cancels_the_child_it_invoked() {
    Chart chart =
        chart(
            state("a")
                .invoke(Invoke.machine("kid", "child", Payload.NONE))
                .transition(Transition.on("go", "b"))
                .build(),
            state("b").build());
    Step start = (Step) Kernel.start(chart, "i-1", null, Map.of(), 0);
    assertThat(start.children())
        .singleElement()
        .isInstanceOfSatisfying(
            ChildChange.Started.class,
            c -> assertThat(c.invocation().instance()).isEqualTo("i-1/kid~1"));
    assertThat(sent(chart, start.after(), "go").children())
        .singleElement()
        .isInstanceOf(ChildChange.Cancelled.class);
  }

  @Test
  void a_child_invoked_again_is_another_instance() {
    Chart chart =
        chart(
            state("a")
                .invoke(Invoke.machine("kid", "child", Payload.NONE))
                .transition(Transition.on("again", "a"))
                .build());
    Step start = (Step) Kernel.start(chart, "i-1", null, Map.of(), 0);
    Step again = sent(chart, start.after(), "again");
    assertThat(again.after().memory().children())
        .singleElement()
        .isNotEqualTo(start.after().memory().children().getFirst());
    assertThat(Kernel.invokeId("i-1", "i-1/kid~2")).isEqualTo("kid");
    assertThat(Kernel.invokeId("i-1", "i-1/a.3")).isEqualTo("a.3");
    assertThat(Kernel.invokeId("i-1", "i-1/x~")).isEqualTo("x~");
  }

  @Test
  void an_end_from_outside_cancels_timers_and_children() {
    Chart chart =
        chart(
            state("a")
                .invoke(Invoke.machine("kid", "child", Payload.NONE))
                .transition(Transition.on("go", "b"))
                .build(),
            state("b").build());
    Step start = (Step) Kernel.start(chart, "i-1", null, Map.of(), 0);
    Step cancelled = (Step) Kernel.cancel(chart, start.after(), 5);
    assertThat(cancelled.after().done()).isTrue();
    assertThat(cancelled.after().memory().timers()).isEmpty();
    assertThat(cancelled.children()).singleElement().isInstanceOf(ChildChange.Cancelled.class);
    assertThat(Kernel.cancel(chart, cancelled.after(), 6))
        .isInstanceOfSatisfying(
            Rejection.class, r -> assertThat(r.code()).isEqualTo(Rejection.Code.INSTANCE_FINAL));
  }

  @Test
  void parallel_regions_step_together_and_are_done_together() {
    State region1 =
        state("r1")
            .child(state("a1").transition(Transition.on("go", "f1")).build())
            .child(finalState("f1"))
            .build();
    State region2 =
        state("r2")
            .child(state("a2").transition(Transition.on("go", "f2")).build())
            .child(finalState("f2"))
            .build();
    Chart chart =
        chart(
            state("p")
                .kind(State.Kind.PARALLEL)
                .child(region1)
                .child(region2)
                .transition(Transition.on("done.state.p", "end"))
                .build(),
            finalState("end"));
    Snapshot started = started(chart);
    assertThat(started.configuration().leaves()).containsExactly("a1", "a2");
    Step step = sent(chart, started, "go");
    assertThat(step.after().configuration().states()).containsExactly("end");
    assertThat(step.microsteps()).hasSize(2);
  }

  @Test
  void deep_history_restores_the_innermost_states() {
    State inner =
        state("inner")
            .child(state("x").transition(Transition.on("next", "y")).build())
            .child(state("y").build())
            .build();
    State work =
        state("work")
            .child(state("h").kind(State.Kind.DEEP_HISTORY).initial(Transition.to("inner")).build())
            .child(inner)
            .initial(Transition.to("inner"))
            .transition(Transition.on("pause", "paused"))
            .build();
    Chart chart = chart(work, state("paused").transition(Transition.on("resume", "h")).build());
    Snapshot snapshot = started(chart);
    for (String event : List.of("next", "pause", "resume")) {
      snapshot = sent(chart, snapshot, event).after();
    }
    assertThat(snapshot.configuration().leaves()).containsExactly("y");
  }

  @Test
  void a_join_waits_for_all_its_paths() {
    State region1 =
        state("r1")
            .child(state("a1").transition(Transition.on("one", "b1")).build())
            .child(state("b1").transition(Transition.to("join")).build())
            .build();
    State region2 =
        state("r2")
            .child(state("a2").transition(Transition.on("two", "b2")).build())
            .child(state("b2").transition(Transition.to("join")).build())
            .build();
    Chart chart =
        chart(
            state("p").kind(State.Kind.PARALLEL).child(region1).child(region2).build(),
            state("join").kind(State.Kind.JOIN).transition(Transition.to("end")).build(),
            finalState("end"));
    Snapshot one = sent(chart, started(chart), "one").after();
    assertThat(one.configuration().leaves()).containsExactly("b1", "a2");
    assertThat(sent(chart, one, "two").after().configuration().leaves()).containsExactly("end");
  }

  @Test
  void an_endless_loop_of_eventless_transitions_is_refused() {
    Chart chart =
        chart(
            state("a").transition(Transition.on("go", "b")).build(),
            state("b").transition(Transition.to("c")).build(),
            state("c").transition(Transition.to("b")).build());
    assertThat(refused(chart, started(chart), "go").code()).isEqualTo(Rejection.Code.LIMIT_REACHED);
  }

  @Test
  void a_foreach_goes_through_the_list_and_forgets_its_variables() {
    Transition move =
        Transition.on("go", "b")
            .doing(
                List.of(
                    new Action.Foreach(
                        expr("[1,2,3]"),
                        "x",
                        null,
                        List.of(new Action.Assign("n", expr("n + x"))))));
    Chart chart = chart(state("a").transition(move).build(), state("b").build());
    assertThat(sent(chart, started(chart), "go").after().context().asMap())
        .isEqualTo(Map.of("n", 6L));
  }

  @Test
  void a_fatal_invariant_refuses_the_step_that_breaks_it() {
    Chart chart =
        chart(
            machine(
                List.of(),
                List.of(
                    new Invariant.Before(
                        "checked-first",
                        Severity.FATAL,
                        new Fact.Enters("done"),
                        new Fact.Enters("check"))),
                state("work")
                    .transition(Transition.on("skip", "done"))
                    .transition(Transition.on("check", "check"))
                    .build(),
                state("check").transition(Transition.on("finish", "done")).build(),
                finalState("done")));
    Snapshot started = started(chart);
    assertThat(refused(chart, started, "skip").code()).isEqualTo(Rejection.Code.INVARIANT_BROKEN);
    Snapshot checked = sent(chart, started, "check").after();
    assertThat(sent(chart, checked, "finish").after().done()).isTrue();
  }

  @Test
  void a_response_that_is_late_takes_the_instance_to_the_target() {
    Chart chart =
        chart(
            machine(
                List.of(),
                List.of(
                    new Invariant.LeadsTo(
                        "answered",
                        Severity.FATAL,
                        new Fact.Enters("asked"),
                        List.of(new Fact.Enters("answered")),
                        Duration.ofMinutes(1),
                        "gave_up")),
                state("idle").transition(Transition.on("ask", "asked")).build(),
                state("asked").transition(Transition.on("answer", "answered")).build(),
                state("answered").build(),
                finalState("gave_up")));
    Snapshot asked = sent(chart, started(chart), "ask").after();
    assertThat(sent(chart, asked, "answer").after().memory().timers()).isEmpty();
    Step late = (Step) Kernel.fire(chart, asked, "within:answered", 60_000);
    assertThat(late.after().configuration().leaves()).containsExactly("gave_up");
  }

  @Test
  void input_for_an_undeclared_field_is_rejected() {
    Chart chart = chart(state("a").build());
    assertThat(Kernel.start(chart, "i-1", null, Map.of("other", 1L), 0))
        .isInstanceOfSatisfying(
            Rejection.class, r -> assertThat(r.message()).contains("declares no field 'other'"));
  }
}
