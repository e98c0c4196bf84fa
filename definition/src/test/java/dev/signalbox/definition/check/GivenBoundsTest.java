package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds that are given are honoured: exactly up to them, wider only beyond. */
class GivenBoundsTest {
  private static final int VALUES = 3_000;

  /** Each of the numbers up to the bound is a context of its own, and which is odd matters. */
  private static final String COUNTER =
      """
      machine: m
      context: { n: { type: int, default: 0, own: true }, odd: { type: bool, default: false, own: true } }
      states:
        A:
          waits: x
          on:
            one: { when: ctx.n < %d, assign: { n: ctx.n + 1, odd: '!ctx.odd' } }
            go: { to: B, when: ctx.n == %d && ctx.odd }
            end: END
        B: { final: true }
        END: { final: true }
      invariants:
        - { name: never-odd, never: B }
      """
          .formatted(VALUES, VALUES);

  private static CheckReport checked(CheckOptions options) {
    return Check.run(Checked.read(COUNTER), options);
  }

  @Test
  void as_many_contexts_as_were_given_are_kept_apart_however_many_there_are() {
    CheckReport report = checked(CheckOptions.DEFAULT.withVariants(VALUES + 1));
    assertThat(report.invariants().getFirst()).isInstanceOf(Verdict.Proved.class);
    assertThat(report.statistics().explored()).isGreaterThan(VALUES);
  }

  @Test
  void beyond_the_bound_that_was_given_contexts_are_widened() {
    CheckReport report = checked(CheckOptions.DEFAULT.withVariants(600));
    assertThat(report.invariants().getFirst()).isInstanceOf(Verdict.Undecided.class);
    assertThat(report.statistics().explored()).isBetween(600, VALUES);
  }
}
