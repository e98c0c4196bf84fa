package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Every check of what states and transitions say (conditions, assignments, effects, messages and
 * the names in them), on the smallest machine that fails it.
 */
class ContentTest {
  @Test
  void an_invariant_must_name_things_that_exist() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: C }, on: { go: C } }
                  C: { final: true }
                invariants:
                  - { name: a, never: X }
                  - { name: b, never: { event: goo } }
                  - { name: c, exactly_once: { record: done } }
                  - { name: d, frozen: { field: plan, after: A } }
                  - { name: d, apart: [A, C] }
                """))
        .containsExactly(
            "unknown-state@6",
            "unknown-event@7",
            "unknown-record@8",
            "unknown-field@9",
            "duplicate-name@10");
  }

  @Test
  void records_told_apart_by_a_field_must_carry_it() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 5m: { to: C, emit: { record: done, data: { id: "'x'" } } } } }
                  C: { final: true }
                invariants:
                  - { name: once, exactly_once: { record: done, by: key } }
                """))
        .containsExactly("unknown-record-field@6");
  }

  @Test
  void an_effect_that_is_not_idempotent_must_have_its_unknown_outcome_handled() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    entry:
                      - perform: { effect: pay }
                      - perform: { effect: look, idempotent: true }
                    on:
                      pay.succeeded: C
                      look.succeeded: C
                      look.failed: C
                  C: { final: true }
                """))
        .containsExactly("~unhandled-reply@5", "unhandled-unknown@5");
  }

  @Test
  void a_reply_may_be_handled_around_the_state_or_by_a_wildcard() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    on: { "pay.*": C }
                    states:
                      X:
                        entry:
                          - perform: { effect: pay }
                  C: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void an_effect_that_must_not_be_repeated_is_tried_again_only_when_nothing_was_started() {
    String machine =
        """
        machine: m
        states:
          A:
            after: { 1h: C }
            entry: [ { perform: { effect: pay, idempotent: %s, retry: { on: %s } } } ]
            on: { "pay.*": C }
          C: { final: true }
        """;
    assertThat(Checked.found(machine.formatted(false, "[not_started]"))).isEmpty();
    assertThat(Checked.found(machine.formatted(true, "[thrown, cut_off]"))).isEmpty();
    assertThat(Checked.found(machine.formatted(false, "[thrown, not_started]")))
        .containsExactly("unsafe-retry@5");
    assertThat(Checked.found(machine.formatted(false, "cut_off")))
        .containsExactly("unsafe-retry@5");
  }

  @Test
  void an_effect_waits_no_longer_than_its_longest_wait() {
    String machine =
        """
        machine: m
        states:
          A:
            after: { 1h: C }
            entry: [ { perform: { effect: pay, retry: { backoff: 2m, most: %s } } } ]
            on: { "pay.*": C }
          C: { final: true }
        """;
    assertThat(Checked.found(machine.formatted("2m"))).isEmpty();
    assertThat(Checked.found(machine.formatted("1m"))).containsExactly("bad-retry@5");
  }

  @Test
  void an_idempotent_effect_that_is_not_always_repeated_can_end_unknown() {
    String machine =
        """
        machine: m
        states:
          A:
            after: { 1h: C }
            entry: [ { perform: { effect: pay, idempotent: true, retry: { on: %s } } } ]
            on: { pay.succeeded: C, pay.failed: C }
          C: { final: true }
        """;
    assertThat(Checked.found(machine.formatted("[thrown, cut_off]"))).isEmpty();
    assertThat(Checked.found(machine.formatted("[not_started, thrown]")))
        .containsExactly("unhandled-unknown@5");
  }

  @Test
  void an_effect_ends_with_a_state_that_is_active_where_it_is_performed() {
    String machine =
        """
        machine: m
        states:
          A:
            after: { 1h: C }
            entry: [ { perform: { effect: pay, during: %s } } ]
            on: { "pay.*": C }
          B: { on: { go: A } }
          C: { final: true }
        """;
    assertThat(Checked.found(machine.formatted("A"))).doesNotContain("~during-elsewhere@5");
    assertThat(Checked.found(machine.formatted("B"))).contains("~during-elsewhere@5");
    assertThat(Checked.found(machine.formatted("D"))).contains("unknown-state@5");
  }

  @Test
  void a_send_to_a_child_that_nobody_invokes_is_a_problem() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A:
                    after: { 5m: C }
                    invoke: { machine: other, id: helper }
                    entry:
                      - send: { event: go, to: { child: helpr } }
                  C: { final: true }
                """))
        .containsExactly("unknown-child@7");
  }

  @Test
  void fields_and_events_that_nothing_uses_are_reported() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  used: { type: int, default: 0 }
                  idle: { type: int, default: 0 }
                events:
                  go: {}
                  gone: {}
                states:
                  A: { after: { 5m: C }, on: { go: { to: C, when: ctx.used > 0 } } }
                  C: { final: true }
                """))
        .containsExactly("~unused-field@4", "~unused-event@7");
  }

  @Test
  void a_personal_field_is_never_searchable() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  name: { type: string, default: "", personal: true, searchable: true }
                states:
                  A: { after: { 5m: C }, on: { go: { to: C, assign: { name: event.name } } } }
                  C: { final: true }
                """))
        .contains("personal-searchable@3");
  }

  @Test
  void a_condition_that_excludes_itself_is_never_true() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  n: { type: int, default: 0 }
                  risk: { type: string, values: [low, high], default: low }
                states:
                  A:
                    after: { 5m: C }
                    on:
                      a: { to: C, when: ctx.n < 0 && ctx.n > 5 }
                      b: { to: C, when: ctx.n > 4 && ctx.n < 5 }
                      c: { to: C, when: ctx.risk == 'hihg' }
                      d: { to: C, when: "!(ctx.risk in ['low', 'high'])" }
                      e: { to: C, when: "ctx.n > 3 && !(ctx.n >= 2)" }
                      f: { to: C, when: ctx.n > 4 && ctx.n < 6 && ctx.n != 5 }
                  C: { final: true }
                """))
        .containsExactly(
            "guard-never-true@9",
            "guard-never-true@10",
            "expression@11",
            "guard-never-true@12",
            "guard-never-true@13",
            "guard-never-true@14");
  }

  @Test
  void a_condition_that_can_be_true_and_false_is_fine() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  n: { type: int, default: 0 }
                  x: { type: double, default: 0.5 }
                  risk: { type: string, values: [low, high], default: low }
                  list: { type: list, default: [] }
                states:
                  A:
                    after: { 5m: C }
                    on:
                      a: { to: C, when: ctx.n > 0 || ctx.n < -5 }
                      b: { to: C, when: ctx.x > 4.0 && ctx.x < 5.0 }
                      c: { to: C, when: ctx.risk != 'low' && size(ctx.list) == 0 }
                      d: { to: C, when: "event.a > event.b && event.b > event.c" }
                      e: [ { to: C, when: ctx.n > 3 }, { to: C, when: ctx.n > 1 } ]
                  C: { final: true }
                """))
        .isEmpty();
  }

  @Test
  void a_condition_that_always_holds_is_a_warning() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  n: { type: int, default: 0 }
                  list: { type: list, default: [] }
                states:
                  A:
                    after: { 5m: C }
                    on:
                      a: { to: C, when: ctx.n > 0 || ctx.n < 5 }
                      b: { to: C, when: size(ctx.list) >= 0 }
                  C: { final: true }
                """))
        .containsExactly("~guard-always-true@9", "~guard-always-true@10");
  }

  @Test
  void assigning_a_field_that_is_not_declared_is_a_problem() {
    assertThat(
            Checked.found(
                """
                machine: m
                context: { total: { type: int, default: 0 } }
                states:
                  A: { after: { 5m: { to: C, assign: { totl: ctx.total } } } }
                  C: { final: true }
                """))
        .containsExactly("unknown-field@4");
  }

  @Test
  void a_value_that_a_field_cannot_have_is_a_problem() {
    assertThat(
            Checked.found(
                """
                machine: m
                context:
                  n: { type: int, default: 0 }
                  s: { type: string, values: [a, b], default: a }
                  o: { type: object, fields: { d: double }, default: { d: 0.5 } }
                  l: { type: list, items: string, default: [] }
                events: { go: { data: { text: string, number: int } } }
                states:
                  A:
                    after: { 1h: END }
                    on:
                      go:
                        - { when: event.number == 1, assign: { n: event.text } }
                        - { when: event.number == 2, assign: { n: true } }
                        - { when: event.number == 3, assign: { s: "'c'" } }
                        - { when: event.number == 4, assign: { s: "ctx.n > 1 ? 'a' : 'd'" } }
                        - { when: event.number == 5, assign: { o.d: event.text } }
                        - { when: event.number == 6, assign: { l: "[event.number]" } }
                        - { when: event.number == 7, assign: { o.d: event.number, s: "'b'", l: [x] } }
                  END: { final: true }
                """))
        .containsExactly(
            "wrong-value@13",
            "wrong-value@14",
            "wrong-value@15",
            "wrong-value@16",
            "wrong-value@17",
            "wrong-value@18");
  }

  @Test
  void an_event_that_is_raised_and_not_waited_for_is_a_warning() {
    assertThat(
            Checked.found(
                """
                machine: m
                states:
                  A: { after: { 1h: { to: END, do: [ { raise: dome } ] } }, on: { done: END } }
                  END: { final: true }
                """))
        .containsExactly("~unknown-event@3");
  }
}
