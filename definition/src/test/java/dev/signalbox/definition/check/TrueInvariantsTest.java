package dev.signalbox.definition.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Invariants that are true by construction, made from a seed: none may be refuted, and how many are
 * undecided is printed by kind. {@code -Dtrue.invariants=1000 -Dtrue.seed=7} makes others.
 */
class TrueInvariantsTest {
  private static final int COUNT = Integer.getInteger("true.invariants", 100);
  private static final long SEED = Long.getLong("true.seed", 16);

  /** Bounded so that one that is hard costs little; a larger bound only decides more. */
  private static final CheckOptions OPTIONS =
      CheckOptions.DEFAULT.withStates(4_000).withSteps(40_000);

  private enum Kind {
    COUNTER,
    GUARDED_SUM,
    CONSERVATION,
    DISTINCT_ACTORS,
    LOOP,
    CONSTANT
  }

  @Test
  void none_of_what_is_true_is_refuted() {
    SplittableRandom dice = new SplittableRandom(SEED);
    Map<Kind, Integer> made = new TreeMap<>();
    Map<Kind, Integer> undecided = new TreeMap<>();
    Map<Kind, String> why = new TreeMap<>();
    for (int i = 0; i < COUNT; i++) {
      Kind kind = Kind.values()[i % Kind.values().length];
      String yaml = machine(kind, dice);
      CheckReport report = Check.run(Checked.read(yaml), OPTIONS);
      assertThat(report.invariants()).as(yaml).hasSize(1);
      Verdict verdict = report.invariants().getFirst();
      assertThat(verdict).as(yaml).isNotInstanceOf(Verdict.Refuted.class);
      assertThat(report.statistics().explored()).as(yaml).isPositive();
      made.merge(kind, 1, Integer::sum);
      if (verdict instanceof Verdict.Undecided open) {
        undecided.merge(kind, 1, Integer::sum);
        why.putIfAbsent(kind, open.why());
      }
    }
    System.out.printf(
        "true invariants: seed %d, %d made %s, undecided %s, for instance %s%n",
        SEED, COUNT, made, undecided, why);
    // What is computed from whole numbers of the machine's own is always decided.
    assertThat(undecided.keySet()).isSubsetOf(Kind.LOOP, Kind.DISTINCT_ACTORS);
  }

  private static String machine(Kind kind, SplittableRandom dice) {
    long most = (long) Math.pow(10, dice.nextInt(1, 7)) - dice.nextInt(0, 5);
    int few = dice.nextInt(2, 5);
    return switch (kind) {
      case COUNTER ->
          machine(
              "n: { type: int, default: 0, own: true }",
              "",
              "one: { when: ctx.n < %d, assign: { n: ctx.n + 1 } }".formatted(most),
              "ctx.n <= %d".formatted(most));
      case GUARDED_SUM ->
          machine(
              "spent: { type: int, default: 0, own: true }",
              "events: { pay: { data: { n: int } } }",
              "pay: { when: 'event.n >= 0 && event.n <= %d && ctx.spent + event.n <= %d', assign: { spent: ctx.spent + event.n } }"
                  .formatted(most, most),
              "ctx.spent <= %d".formatted(most));
      case CONSERVATION ->
          machine(
              "a: { type: int, default: %d, own: true }, b: { type: int, default: 0, own: true }"
                  .formatted(most),
              "",
              "move: { when: ctx.a > 0, assign: { a: ctx.a - 1, b: ctx.b + 1 } }",
              "ctx.a + ctx.b == %d".formatted(most));
      case DISTINCT_ACTORS ->
          machine(
              "by: { type: list, items: string, default: [], own: true }",
              "",
              "vote: { when: '!(actor.name in ctx.by) && size(ctx.by) < %d', assign: { by: 'ctx.by + [actor.name]' } }"
                  .formatted(few),
              "size(ctx.by) <= %d".formatted(few));
      case LOOP ->
          machine(
              "n: { type: int, default: 0, own: true }",
              "events: { all: { data: { items: { type: list, items: int } } } }",
              "all: { do: [ { foreach: { in: event.items, item: x, do: [ { if: ctx.n < %d, then: [ { assign: { n: ctx.n + 1 } } ] } ] } } ] }"
                  .formatted(few),
              "ctx.n <= %d".formatted(few));
      case CONSTANT ->
          machine(
              "k: { type: int, default: %d, own: true }, n: { type: int, default: 0, own: true }"
                  .formatted(most),
              "",
              "put: { assign: { n: ctx.k } }",
              "ctx.n == 0 || ctx.n == %d".formatted(most));
    };
  }

  private static String machine(String context, String events, String on, String holds) {
    return """
    machine: m
    context: { %s }
    %s
    states:
      A:
        waits: x
        on:
          %s
          end: END
      END: { final: true }
    invariants:
      - { name: holds, severity: error, always: '%s' }
    """
        .formatted(context, events, on, holds);
  }
}
