package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Problem;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines whose invariant some run breaks, or holds only under a condition that is told. */
class FalseProofTest {

  private static Verdict verdict(String yaml) {
    CheckReport report = Checked.all(yaml);
    assertThat(report.problems())
        .filteredOn(Problem::isError)
        .extracting(Problem::code)
        .isSubsetOf("refuted", "unhandled-unknown", "deadlock", "never-starts", "dead-end");
    return report.invariants().getFirst();
  }

  private static void assertNotProved(String yaml) {
    assertThat(verdict(yaml)).isNotInstanceOf(Verdict.Proved.class);
  }

  /** Whether B is reached, which the machine says never happens. */
  private static String neverB(String states) {
    return neverB("", states);
  }

  private static String neverB(String head, String states) {
    return """
    machine: m
    %s
    states:
    %s
      B: { final: true }
      END: { final: true }
    invariants:
      - { name: never-b, severity: warn, never: B }
    """
        .formatted(head, states);
  }

  @Test
  void a_name_that_a_pattern_covers_is_not_held_to_the_type_of_another() {
    assertNotProved(
        neverB(
            "events: { pay: { data: { n: int } } }",
            "  A: { waits: x, on: { 'pay.*': B, end: END } }"));
    assertNotProved(
        neverB(
            "  A: { waits: x, on: { 'ask.*': { to: C, when: event.n == 1 }, end: END } }\n"
                + "  C: { waits: x, on: { 'ask.more': B, end: END } }"));
  }

  @Test
  void anyone_sends_error_where_the_machine_names_it() {
    assertNotProved(neverB("  A: { waits: x, on: { error: B, end: END } }"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"error.communication", "error", "error.*"})
  void what_is_sent_to_another_may_bounce(String descriptor) {
    assertNotProved(
        neverB(
            """
              A: { waits: x, on: { go: { to: C, do: [ { send: { event: hello, to: { instance: "'o-1'" } } } ] }, end: END } }
              C: { waits: x, on: { %s: B, end: END } }
            """
                .formatted(descriptor)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ctx.t", "\"'o-1'\""})
  void what_is_sent_to_another_may_come_to_itself_past_the_door(String target) {
    assertNotProved(
        """
        machine: m
        context: { t: string, n: { type: int, default: 0, own: true } }
        events: { set: { data: { n: { type: int, values: [1, 2] } } } }
        states:
          A:
            waits: x
            on:
              go: { do: [ { send: { event: set, to: { instance: %s }, data: { n: 99 } } } ] }
              set: { assign: { n: event.n } }
        invariants:
          - { name: small, always: ctx.n < 5 }
        """
            .formatted(target));
    assertThat(
            verdict(
                neverB(
                    "context: { t: string }",
                    """
                      A:
                        waits: x
                        entry: [ { send: { event: pay.succeeded, to: { instance: %s } } } ]
                        on: { pay.succeeded: B, go: C, end: END }
                      C:
                        waits: x
                        entry: [ { perform: { effect: pay, during: C } } ]
                        on: { pay.*: END }
                    """
                        .formatted(target))))
        .isInstanceOf(Verdict.Undecided.class);
  }

  @Test
  void a_reply_reaches_a_sibling_region() {
    assertNotProved(
        neverB(
            """
              A: { waits: x, perform: { effect: pay }, on: { go: P.X, end: END } }
              P:
                parallel: true
                states:
                  X: { waits: x, on: { end: END } }
                  Y: { waits: x, on: { pay.succeeded: B, pay.failed: END, pay.unknown: END } }
            """
                .replace("P.X", "X")
                .replace("perform: { effect: pay }", "entry: [ { perform: { effect: pay } } ]")));
  }

  @Test
  void a_reply_reaches_the_target_of_a_deadline() {
    assertNotProved(
        """
        machine: m
        states:
          A: { waits: x, entry: [ { perform: { effect: pay } } ], on: { go: C, end: END } }
          C: { waits: x, on: { ok: END } }
          LATE: { waits: x, on: { pay.succeeded: B, pay.failed: END, pay.unknown: END } }
          B: { final: true }
          END: { final: true }
        invariants:
          - { name: never-b, severity: warn, never: B }
          - { name: in-time, leads_to: { from: C, to: END, within: 5m, target: LATE } }
        """);
  }

  @Test
  void a_refused_reply_does_not_come_again() {
    assertNotProved(
        """
        machine: m
        context: { ready: { type: bool, default: false, own: true } }
        states:
          A:
            entry: [ { perform: { effect: pay, idempotent: true } } ]
            on:
              set: { assign: { ready: true } }
              pay.succeeded: { to: END, when: ctx.ready }
              pay.failed: { to: END, when: ctx.ready }
              pay.unknown: { to: END, when: ctx.ready }
          END: { final: true }
        invariants:
          - { name: ends, leads_to: { from: A, to: END } }
        """);
  }

  @Test
  void an_effect_that_ended_with_its_state_gives_no_reply() {
    assertNotProved(
        """
        machine: m
        states:
          A:
            waits: x
            on: { go: W }
          W:
            entry: [ { perform: { effect: pay, during: W } } ]
            on: { pay.succeeded: END, pay.failed: END, pay.unknown: END, leave: V }
          V:
            on: { pay.succeeded: END, pay.failed: END, pay.unknown: END }
          END: { final: true }
        invariants:
          - { name: ends, leads_to: { from: W, to: END } }
        """);
  }

  @Test
  void a_deadline_that_an_event_sets_anew_holds_only_with_fairness() {
    Verdict verdict =
        verdict(
            """
            machine: m
            states:
              A: { after: { 5m: END }, on: { touch: A } }
              END: { final: true }
            invariants:
              - { name: ends, leads_to: { from: A, to: END } }
            """);
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Proved.class,
            p -> assertThat(p.assumptions()).anyMatch(a -> a.matches("fairness.*touch.*")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "!(event.a / event.b < 1.0) && !(event.a / event.b >= 1.0)",
        "!(double(event.s) <= 5.0) && !(double(event.s) > 5.0)",
        "!(event.a - event.b <= 0.0 || event.a - event.b > 0.0)"
      })
  void what_is_not_a_number_is_neither_below_nor_above(String condition) {
    assertNotProved(
        neverB(
            "events: { go: { data: { a: double, b: double, s: string } } }",
            "  A: { waits: x, on: { go: { to: B, when: \"%s\" }, end: END } }"
                .formatted(condition)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ctx.n > 9007199254740992 && ctx.n < 9007199254740994",
        "ctx.n == 9007199254740993 && ctx.n != 9007199254740992",
        "ctx.n > 9007199254740992 && !(ctx.n >= 9007199254740994)",
        "ctx.n >= 9223372036854775807"
      })
  void whole_numbers_beyond_doubles_are_told_apart(String condition) {
    assertNotProved(
        neverB(
            "context: { n: { type: int, default: 0 } }",
            "  A: { waits: x, on: { go: { to: B, when: \"%s\" }, end: END } }"
                .formatted(condition)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"size(ctx.x) == 0 && ctx.x != []", "!(ctx.x == []) && !(size(ctx.x) > 0)"})
  void what_has_no_items_need_not_be_the_empty_list(String condition) {
    assertNotProved(
        neverB(
            "context: { x: { type: any, default: 1 } }",
            "  A: { waits: x, on: { go: { to: B, when: \"%s\" }, end: END } }"
                .formatted(condition)));
  }

  @Test
  void a_machine_that_never_starts_is_not_ok_and_proves_nothing() {
    CheckReport report =
        Checked.all(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            states:
              A: { after: { 1h: END } }
              END: { final: true }
            invariants:
              - { name: impossible, always: ctx.n > 0 }
              - { name: first, before: { reaching: END, must_visit: A } }
            """);
    assertThat(report.ok()).isFalse();
    assertThat(report.invariants().getLast())
        .isNotEqualTo(
            new Verdict.Proved(report.invariants().getLast().invariant(), List.of(), false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "context: { n: { type: int, default: 0 } } | entry: [] | always: ctx.n != ctx.n",
        "context: { n: int } | entry: [ { assign: { n: 1 / 0 } } ] | never: A -> A",
        "context: { n: { type: int, own: true, default: 0 } } | entry: [ { assign: { n: 1 / ctx.n }"
            + " } ] | never: A -> A"
      })
  void where_no_start_is_found_nothing_is_proved(String parts) {
    String[] part = parts.split(" [|] ", 3);
    CheckReport report =
        Checked.all(
            """
            machine: m
            %s
            states:
              A: { waits: x, %s, on: { end: END } }
              END: { final: true }
            invariants:
              - { name: i, %s }
            """
                .formatted(part[0], part[1], part[2]));
    assertThat(report.invariants().getFirst()).isInstanceOf(Verdict.Undecided.class);
    assertThat(report.problems()).extracting(Problem::code).contains("no-start-found");
  }

  @Test
  void a_start_that_is_refused_breaks_nothing_that_is_only_told_of() {
    assertThat(
            verdict(
                """
                machine: m
                context: { n: { type: int, default: 0 } }
                states:
                  A: { waits: x, on: { end: END } }
                  END: { final: true }
                invariants:
                  - { name: told, severity: error, always: ctx.n <= 5 }
                  - { name: refuses, always: ctx.n <= 3 }
                """))
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void what_no_data_holds_refutes_nothing() {
    assertThat(
            verdict(
                neverB(
                    "context: { n: { type: int, default: 0 } }",
                    "  A: { waits: x, on: { probe: { to: B, when: ctx.n > 9007199254740992 },"
                        + " end: END } }")))
        .isNotInstanceOf(Verdict.Refuted.class);
    assertThat(
            verdict(
                neverB(
                    "context: { n: { type: int, default: 0 } }",
                    "  A: { waits: x, on: { probe: { to: B, when: ctx.n > 9007199254740991 },"
                        + " end: END } }")))
        .isInstanceOf(Verdict.Refuted.class);
  }

  @Test
  void what_is_never_reached_is_vacuous() {
    Verdict verdict =
        verdict(
            """
            machine: m
            context: { n: { type: int, default: 0, own: true } }
            states:
              A: { after: { 1h: END }, on: { go: { to: B, when: ctx.n == 1 } } }
              B: { after: { 1h: END } }
              END: { final: true }
            invariants:
              - { name: in-b, always: ctx.n == 5, in: B }
            """);
    assertThat(verdict)
        .isInstanceOfSatisfying(Verdict.Proved.class, p -> assertThat(p.vacuous()).isTrue());
  }

  @ParameterizedTest
  @ValueSource(strings = {"done.custom", "(cancel)"})
  void what_only_the_engine_gives_refutes_nothing(String event) {
    assertThat(verdict(neverB("  A: { waits: x, on: { '%s': B, end: END } }".formatted(event))))
        .isNotInstanceOf(Verdict.Refuted.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"timer", "'machine:other'"})
  void an_event_that_nobody_outside_may_send_refutes_nothing(String role) {
    assertThat(
            verdict(
                neverB(
                    "events: { go: { roles: [%s] } }".formatted(role),
                    "  A: { waits: x, on: { go: B, end: END } }")))
        .isInstanceOf(Verdict.Undecided.class);
  }

  @Test
  void a_refutation_by_an_event_of_the_system_says_so() {
    Verdict verdict =
        verdict(
            neverB(
                "events: { go: { roles: [system] } }",
                "  A: { waits: x, on: { go: B, end: END } }"));
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Refuted.class,
            r -> {
              assertThat(r.why()).endsWith("only if the system sends go");
              assertThat(r.sequence().toString()).contains("kind=SYSTEM");
            });
  }

  @Test
  void a_way_that_somebody_outside_can_go_is_told_before_one_of_the_system() {
    Verdict verdict =
        verdict(
            neverB(
                "events: { go: { roles: [system] } }",
                "  A: { waits: x, on: { go: B, walk: C, end: END } }\n"
                    + "  C: { waits: x, on: { on: B } }"));
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Refuted.class, r -> assertThat(r.why()).doesNotContain("system"));
  }

  @Test
  void a_refutation_is_sent_by_somebody_with_the_role() {
    Verdict verdict =
        verdict(
            neverB(
                "events: { go: { roles: [boss] } }", "  A: { waits: x, on: { go: B, end: END } }"));
    assertThat(verdict)
        .isInstanceOfSatisfying(
            Verdict.Refuted.class,
            r -> assertThat(r.sequence().toString()).contains("roles=[boss]"));
  }

  @Test
  void an_idempotent_effect_may_end_unknown() {
    assertNotProved(
        neverB(
            """
              A:
                entry: [ { perform: { effect: pay, idempotent: true } } ]
                on: { pay.succeeded: END, pay.failed: END, pay.unknown: B }
            """));
  }

  @Test
  void a_raised_event_is_not_held_to_the_type_of_one_that_is_sent() {
    assertNotProved(
        """
        machine: m
        context: { x: { type: any, default: 1 } }
        events: { told: { data: { n: int } } }
        states:
          A: { waits: x, on: { go: { to: C, do: [ { raise: { event: told, data: { n: ctx.x } } } ] }, end: END } }
          C: { waits: x, on: { told: { to: B, when: dyn(event.n) == 'text' }, end: END } }
          B: { final: true }
          END: { final: true }
        invariants:
          - { name: never-b, severity: warn, never: B }
        """);
  }

  @Test
  void a_condition_that_may_have_no_value_is_broken() {
    assertNotProved(
        """
        machine: m
        context: { x: { type: any, default: [] } }
        states:
          A: { waits: x, on: { go: { assign: { x: event.x } }, end: END } }
          END: { final: true }
        invariants:
          - { name: sized, severity: warn, always: size(ctx.x) >= 0 }
        """);
  }

  @Test
  void an_individual_may_be_the_one_that_a_condition_names() {
    assertNotProved(
        """
        machine: m
        context: { who: { type: string, default: "", own: true } }
        events: { come: { data: { id: string } } }
        states:
          A:
            waits: x
            on:
              come: { assign: { who: event.id }, emit: { record: came, data: { id: ctx.who } } }
              go: { to: B, when: ctx.who == 'vip' }
              end: END
          B: { final: true }
          END: { final: true }
        invariants:
          - { name: never-b, severity: warn, never: B }
          - { name: once, severity: warn, before: { reaching: { record: came, by: id }, must_visit: { record: came, by: id } } }
        """);
  }
}
