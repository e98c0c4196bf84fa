package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Each pattern of invariant on a machine that keeps it and on one that breaks it. */
class InvariantVerdictTest {

  private static Verdict verdict(String yaml) {
    return Checked.all(yaml).invariants().getFirst();
  }

  private static List<String> sequence(String yaml) {
    Verdict verdict = verdict(yaml);
    assertThat(verdict).isInstanceOf(Verdict.Refuted.class);
    Replay.shows(Checked.read(yaml), (Verdict.Refuted) verdict);
    return ((Verdict.Refuted) verdict).sequence().stream().map(s -> s.line().toString()).toList();
  }

  private static final String REVIEWED =
      """
      machine: m
      context: { n: { type: int, default: 0, own: true } }
      states:
        DRAFT: { waits: the author, on: { submit: REVIEW, publish: { to: DONE, when: %s } } }
        REVIEW: { after: { 1h: DRAFT }, on: { ok: DONE, no: { to: DRAFT, assign: { n: ctx.n + 1 } } } }
        DONE: { final: true }
      invariants:
        - { name: reviewed, %s }
      """;

  @Test
  void a_move_that_never_happens_is_proved() {
    assertThat(verdict(REVIEWED.formatted("ctx.n > 5 && ctx.n < 3", "never: DRAFT -> DONE")))
        .isInstanceOf(Verdict.Proved.class);
    assertThat(
            verdict(
                REVIEWED.formatted("ctx.n < 0", "before: { reaching: DONE, must_visit: REVIEW }")))
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void a_forbidden_move_is_refuted_with_the_shortest_sequence() {
    assertThat(sequence(REVIEWED.formatted("ctx.n >= 2", "never: DRAFT -> DONE")))
        .containsExactly(
            "{event=submit}", "{event=no}", "{event=submit}", "{event=no}", "{event=publish}");
  }

  @Test
  void precedence_is_proved_and_refuted() {
    String before = "before: { reaching: DONE, must_visit: REVIEW }";
    assertThat(verdict(REVIEWED.formatted("ctx.n > 0", before))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(REVIEWED.formatted("ctx.n == 0", before)))
        .containsExactly("{event=publish}");
  }

  @Test
  void states_that_are_apart_are_proved_and_refuted() {
    String machine =
        """
        machine: m
        states:
          P:
            parallel: true
            waits: for a test
            states:
              L: { states: { A: { on: { go: B } }, B: {} } }
              R: { states: { X: { on: { %s: Y } }, Y: { on: { go: X } } } }
        invariants:
          - { name: never-both, apart: [B, Y] }
        """;
    assertThat(sequence(machine.formatted("step"))).containsExactly("{event=go}", "{event=step}");
    assertThat(verdict(machine.formatted("never"))).isInstanceOf(Verdict.Refuted.class);
    assertThat(verdict(machine.formatted("go"))).isInstanceOf(Verdict.Refuted.class);
  }

  @Test
  void a_condition_on_a_counter_is_proved_and_refuted() {
    String machine =
        """
        machine: m
        context: { n: { type: int, default: 0, own: true } }
        states:
          A:
            waits: for a test
            on:
              more: { when: ctx.n < %d, assign: { n: ctx.n + 1 } }
              less: { when: ctx.n > 0, assign: { n: ctx.n - 1 } }
              end: B
          B: { final: true }
        invariants:
          - { name: bounded, always: ctx.n <= 3 }
        """;
    assertThat(verdict(machine.formatted(3))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted(4))).hasSize(4).allMatch("{event=more}"::equals);
  }

  @Test
  void a_counter_with_more_values_than_are_kept_apart_is_still_bounded() {
    assertThat(
            verdict(
                """
                machine: m
                context: { n: { type: int, default: 0, own: true } }
                states:
                  A:
                    waits: for a test
                    on:
                      more: { when: ctx.n < 500, assign: { n: ctx.n + 1 } }
                      reset: { assign: { n: 0 } }
                      end: B
                  B: { final: true }
                invariants:
                  - { name: bounded, always: ctx.n >= 0 && ctx.n <= 500 }
                """))
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void data_of_events_is_found_for_a_refutation() {
    assertThat(
            sequence(
                """
                machine: m
                context: { limit: { type: int, default: 10 }, used: { type: int, default: 0 } }
                events:
                  spend: { data: { amount: int, kind: { type: string, values: [card, cash] } } }
                states:
                  A:
                    waits: for a test
                    on:
                      spend:
                        when: event.amount > 3 && event.kind == 'cash'
                        assign: { used: ctx.used + event.amount }
                      end: B
                  B: { final: true }
                invariants:
                  - { name: within-the-limit, always: ctx.used <= ctx.limit }
                """))
        .singleElement()
        .asString()
        .contains("kind=cash");
  }

  @Test
  void how_often_is_proved_and_refuted() {
    String machine =
        """
        machine: m
        context: { tries: { type: int, default: 0, own: true } }
        states:
          WAITING: { after: { 1h: DONE }, on: { run: RUNNING } }
          RUNNING:
            entry: [ { assign: { tries: ctx.tries + 1 } } ]
            after: { 5m: DONE }
            on: { fail: { to: WAITING, when: %s }, ok: DONE }
          DONE: { final: true }
        invariants:
          - { name: three-times, at_most: { fact: RUNNING, times: 3 } }
        """;
    assertThat(verdict(machine.formatted("ctx.tries < 3"))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted("ctx.tries < 4")))
        .containsExactly(
            "{event=run}",
            "{event=fail}",
            "{event=run}",
            "{event=fail}",
            "{event=run}",
            "{event=fail}",
            "{event=run}");
  }

  @Test
  void exactly_once_means_also_at_least_once() {
    String machine =
        """
        machine: m
        states:
          A: { after: { 5m: { to: B, emit: told } }, on: { skip: { to: B%s } } }
          B: { final: true }
        invariants:
          - { name: told-once, exactly_once: { record: told } }
        """;
    assertThat(verdict(machine.formatted(", emit: told"))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted(""))).containsExactly("{event=skip}");
  }

  @Test
  void records_are_told_apart_by_their_key() {
    String machine =
        """
        machine: m
        context: { open: { type: string, default: "" } }
        events: { call: { data: { id: string } }, result: { data: { id: string } } }
        states:
          IDLE:
            waits: a call
            on:
              call:
                to: BUSY
                assign: { open: event.id }
                emit: { record: called, data: { id: event.id } }
              end: END
          BUSY:
            after: { 5m: END }
            on:
              result: { to: IDLE, when: %s, emit: { record: answered, data: { id: %s } } }
          END: { final: true }
        invariants:
          - { name: asked-first, before: { reaching: { record: answered, by: id }, must_visit: { record: called, by: id } } }
        """;
    assertThat(verdict(machine.formatted("event.id == ctx.open", "ctx.open")))
        .isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted("true", "event.id"))).hasSize(2);
  }

  @Test
  void one_at_a_time_is_proved_and_refuted() {
    String machine =
        """
        machine: m
        states:
          FREE: { waits: a user, on: { take: HELD, end: END } }
          HELD: { after: { 5m: %s }, on: { free: FREE, take: { to: HELD, when: %s } } }
          END: { final: true }
        invariants:
          - { name: one-holder, one_at_a_time: { opens: HELD, closes: FREE } }
        """;
    assertThat(verdict(machine.formatted("FREE", "1 > 2"))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted("FREE", "event.force")))
        .containsExactly("{event=take}", "{event=take, data={force=true}}");
  }

  @Test
  void a_frozen_field_is_proved_and_refuted() {
    String machine =
        """
        machine: m
        context: { plan: { type: list, items: string, default: [] } }
        states:
          DRAFT: { after: { 1h: END }, on: { plan: { assign: { plan: event.steps } }, freeze: FROZEN } }
          FROZEN: { after: { 1h: END }, on: { change: { assign: { plan: %s } } } }
          END: { final: true }
        invariants:
          - { name: plan-is-frozen, frozen: { field: plan, after: FROZEN } }
        """;
    assertThat(verdict(machine.formatted("ctx.plan"))).isInstanceOf(Verdict.Proved.class);
    assertThat(sequence(machine.formatted("event.steps"))).hasSize(2);
  }

  @Test
  void a_response_follows_by_itself_or_it_is_refuted() {
    String machine =
        """
        machine: m
        states:
          IDLE: { waits: a request, on: { ask: ASKED, end: END } }
          ASKED: { %s on: { answer: IDLE, fail: FAILED } }
          FAILED: { final: true }
          END: { final: true }
        invariants:
          - { name: answered, leads_to: { from: ASKED, to: %s } }
        """;
    assertThat(verdict(machine.formatted("after: { 5m: IDLE },", "[IDLE, FAILED]")))
        .isInstanceOf(Verdict.Proved.class);
    assertThat(verdict(machine.formatted("", "[IDLE, FAILED]")))
        .isInstanceOfSatisfying(
            Verdict.Refuted.class,
            r -> {
              assertThat(r.sequence()).hasSize(1);
              assertThat(r.why()).contains("wait in ASKED for ever");
            });
    assertThat(sequence(machine.formatted("after: { 5m: IDLE },", "[IDLE]")))
        .containsExactly("{event=ask}", "{event=fail}");
    assertThat(verdict(machine.formatted("waits: a person,", "[IDLE, FAILED]")))
        .isInstanceOfSatisfying(
            Verdict.Proved.class, p -> assertThat(p.assumptions().toString()).contains("a person"));
  }

  @Test
  void a_response_with_a_deadline_is_proved_by_its_timer() {
    assertThat(
            verdict(
                """
                machine: m
                states:
                  IDLE: { waits: a request, on: { ask: ASKED, end: END } }
                  ASKED: { on: { answer: IDLE, again: ASKED } }
                  LATE: { final: true }
                  END: { final: true }
                invariants:
                  - name: answered
                    leads_to: { from: ASKED, to: IDLE, within: 5m, target: LATE }
                """))
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void a_response_that_retries_can_put_off_for_ever_is_undecided() {
    assertThat(
            verdict(
                """
                machine: m
                states:
                  IDLE: { waits: a request, on: { ask: TRYING, end: END } }
                  TRYING:
                    entry: [ { perform: { effect: call, idempotent: true } } ]
                    on: { call.succeeded: IDLE, call.failed: BACKOFF, call.unknown: BACKOFF }
                  BACKOFF: { after: { 30s: TRYING } }
                  END: { final: true }
                invariants:
                  - { name: answered, leads_to: { from: { event: ask }, to: IDLE } }
                """))
        .isInstanceOfSatisfying(
            Verdict.Undecided.class,
            u -> assertThat(u.why()).contains("TRYING").contains("BACKOFF"));
  }

  @Test
  void time_is_found_for_a_refutation_that_needs_it() {
    List<String> sequence =
        sequence(
            """
            machine: m
            states:
              OUTER:
                after: { 10m: { to: LATE } }
                initial: ONE
                states:
                  ONE: { on: { next: TWO } }
                  TWO: { after: { 6m: THREE } }
                  THREE: { waits: for a test }
              LATE: { after: { 1m: END } }
              END: { final: true }
            invariants:
              - { name: not-late-in-two, never: TWO -> LATE }
            """);
    assertThat(sequence).containsExactly("{after=4m}", "{event=next}", "{after=6m}");
  }

  @Test
  void timers_cannot_overtake_each_other() {
    assertThat(
            verdict(
                """
                machine: m
                states:
                  A:
                    after: { 80s: { emit: warned }, 100s: B }
                    on: { done: C }
                  B: { final: true }
                  C: { final: true }
                invariants:
                  - { name: warned-first, before: { reaching: B, must_visit: { record: warned } } }
                """))
        .isInstanceOf(Verdict.Proved.class);
  }

  @Test
  void a_value_given_at_the_start_is_part_of_the_sequence() {
    List<String> sequence =
        sequence(
            """
            machine: m
            context: { mode: { type: string, values: [slow, fast], default: slow } }
            states:
              A: { after: { 1h: B }, on: { go: { to: C, when: ctx.mode == 'fast' } } }
              B: { final: true }
              C: { final: true }
            invariants:
              - { name: never-c, never: C }
            """);
    assertThat(sequence).containsExactly("{start={mode=fast}}", "{event=go}");
  }

  @Test
  void what_cannot_be_seen_through_is_undecided_with_the_way_it_might_go() {
    assertThat(
            verdict(
                """
                machine: m
                states:
                  A:
                    after: { 1h: B }
                    on:
                      go: { to: C, when: "event.code.matches('^[a-f]{7}x[0-9]{9}$') && size(event.code) == 40" }
                  B: { final: true }
                  C: { final: true }
                invariants:
                  - { name: never-c, never: C }
                """))
        .isInstanceOfSatisfying(Verdict.Undecided.class, u -> assertThat(u.why()).contains("go"));
  }

  @Test
  void beyond_its_bound_the_checker_does_not_guess() {
    CheckReport report =
        Check.run(
            Checked.read(
                REVIEWED.formatted("ctx.n < 0", "before: { reaching: DONE, must_visit: REVIEW }")),
            CheckOptions.DEFAULT.withStates(2));
    assertThat(report.invariants().getFirst()).isInstanceOf(Verdict.Undecided.class);
    assertThat(report.statistics().complete()).isFalse();
    assertThat(report.notes()).anyMatch(n -> n.contains("more than 2 abstract states"));
  }
}
