package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.expression.CelExpressions;
import dev.signalbox.kernel.Answer;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Kernel;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a start gives is part of what is proved: every field that it may give, all at once. */
class StartInputsTest {
  private static final int SMALL = Integer.getInteger("check.machines", 300);

  private static final String TWO_FIELDS =
      """
      machine: m
      context:
        a: { type: string, default: "" }
        b: { type: string, values: [x, y], default: y%s }
      events: { change: { data: { a: string } } }
      states:
        ON: { waits: for a change, on: { change: { assign: { a: event.a } } } }
      invariants:
        - { name: both, always: "ctx.b != 'x' || ctx.a != ''" }
      """;

  @Test
  void what_two_fields_given_together_break_later_is_refuted() {
    String yaml = TWO_FIELDS.formatted("");
    assertThat(Checked.all(yaml).invariants())
        .singleElement()
        .isInstanceOfSatisfying(
            Verdict.Refuted.class, refuted -> Replay.shows(Checked.read(yaml), refuted));
  }

  @Test
  void what_no_start_can_give_is_proved() {
    assertThat(Checked.all(TWO_FIELDS.formatted(", own: true")).invariants())
        .singleElement()
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void a_start_that_gives_what_is_the_machine_s_own_is_refused() {
    Machine machine =
        Objects.requireNonNull(Checked.read(TWO_FIELDS.formatted(", own: true")).machine());
    Chart chart = Chart.compile(machine, CelExpressions.of(machine));
    assertThat(Kernel.start(chart, "i", null, Map.of("b", "y"), 0))
        .isInstanceOfSatisfying(
            Rejection.class,
            r -> {
              assertThat(r.code()).isEqualTo(Rejection.Code.DATA_MISMATCH);
              assertThat(r.message()).contains("its own field 'b'");
            });
    assertThat(Kernel.start(chart, "i", null, Map.of("a", "q"), 0)).isInstanceOf(Step.class);
  }

  @Test
  void a_start_that_is_refused_breaks_nothing() {
    assertThat(
            Checked.all(
                    """
                    machine: m
                    context: { n: { type: int, default: 1 } }
                    states:
                      ON: { waits: for more, on: { more: { assign: { n: ctx.n + 1 }, when: ctx.n < 5 } } }
                    invariants:
                      - { name: positive, always: ctx.n > 0 }
                    """)
                .invariants())
        .singleElement()
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void a_flag_that_is_compared_with_a_state_is_not_taken_for_known() {
    String yaml =
        """
        machine: m
        context: { flag: { type: bool, default: false } }
        states:
          A: { waits: for a test, on: { go: B, stay: { assign: { flag: event.on } } } }
          B: { final: true }
        events: { stay: { data: { on: bool } } }
        invariants:
          - { name: agrees, always: "ctx.flag == In('B')", in: A }
        """;
    assertThat(Checked.all(yaml).invariants())
        .singleElement()
        .isInstanceOfSatisfying(
            Verdict.Refuted.class, refuted -> Replay.shows(Checked.read(yaml), refuted));
  }

  @Test
  void the_checker_agrees_with_everything_that_small_machines_can_do() {
    int proved = 0;
    int refuted = 0;
    int undecided = 0;
    for (long seed = 0; seed < SMALL; seed++) {
      String yaml = SmallMachines.text(seed);
      Definition definition = Checked.read(yaml);
      assertThat(definition.hasErrors()).as("seed %d: %s", seed, definition.problems()).isFalse();
      Everything everything = new Everything(Objects.requireNonNull(definition.machine()));
      Set<String> broken = everything.broken();
      CheckReport report = Check.run(definition);
      for (Verdict verdict : report.invariants()) {
        String name = verdict.invariant().name();
        switch (verdict) {
          case Verdict.Proved _ -> {
            assertThat(broken).as("seed %d proves %s\n%s", seed, name, yaml).doesNotContain(name);
            proved++;
          }
          case Verdict.Refuted r -> {
            boolean refusedStart =
                r.sequence().isEmpty() && everything.brokenAtStart.contains(name);
            assertThat(broken.contains(name) || refusedStart)
                .as("seed %d refutes %s\n%s", seed, name, yaml)
                .isTrue();
            // The last step may break both, and the machine itself names the first.
            Replay.shows(AbstractMachine.reporting(definition.machine()), r);
            refuted++;
          }
          case Verdict.Undecided _ -> undecided++;
        }
      }
    }
    assertThat(proved).isGreaterThan(SMALL / 10);
    assertThat(refuted).isGreaterThan(SMALL / 10);
    assertThat(undecided).isLessThan(SMALL / 5);
  }

  /** Every start and every sequence of events of a machine whose values are few. */
  private static final class Everything {
    private final Machine machine;
    private final Chart chart;
    private final Set<String> fatal = new HashSet<>();
    private final Set<List<Object>> known = new HashSet<>();
    private final Deque<Snapshot> open = new ArrayDeque<>();
    private final Set<String> broken = new HashSet<>();

    /** What the start without any input breaks: no proof needs to care, for it is refused. */
    private final Set<String> brokenAtStart = new HashSet<>();

    Everything(Machine machine) {
      this.machine = machine;
      this.chart = Chart.compile(AbstractMachine.reporting(machine), CelExpressions.of(machine));
      machine.invariants().stream()
          .filter(i -> i.severity() == Severity.FATAL)
          .forEach(i -> fatal.add(i.name()));
    }

    Set<String> broken() {
      starts(0, new LinkedHashMap<>());
      while (!open.isEmpty()) {
        Snapshot at = open.poll();
        for (String name : List.of("e", "f")) {
          for (String word : SmallMachines.WORDS) {
            for (boolean flag : new boolean[] {false, true}) {
              Event event = Event.external(name, Map.of("w", word, "b", flag));
              take(Kernel.step(chart, at, event, 0), true, false);
            }
          }
        }
      }
      return broken;
    }

    private void starts(int field, Map<String, @Nullable Object> input) {
      if (field == machine.context().size()) {
        boolean given = machine.context().stream().anyMatch(f -> !f.own());
        take(Kernel.start(chart, "i", null, input, 0), !given, input.isEmpty());
        return;
      }
      starts(field + 1, input);
      Field given = machine.context().get(field);
      if (!given.own()) {
        List<?> values =
            given.type().kind() == Type.Kind.BOOL ? List.of(false, true) : SmallMachines.WORDS;
        for (Object value : values) {
          Map<String, @Nullable Object> more = new LinkedHashMap<>(input);
          more.put(given.name(), value);
          starts(field + 1, more);
        }
      }
    }

    private void take(Answer answer, boolean counts, boolean start) {
      if (answer instanceof Rejection) {
        return;
      }
      Step step = (Step) answer;
      boolean refused = false;
      for (Step.Violation violation : step.violations()) {
        refused |= fatal.contains(violation.invariant());
        if (counts) {
          broken.add(violation.invariant());
        }
        if (start) {
          brokenAtStart.add(violation.invariant());
        }
      }
      List<Object> key = new ArrayList<>(step.after().configuration().states());
      machine.context().forEach(f -> key.add(step.after().context().value(f.name())));
      if (!refused && known.add(key)) {
        open.add(step.after());
      }
    }
  }
}
