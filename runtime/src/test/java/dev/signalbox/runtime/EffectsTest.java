package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;
import dev.signalbox.kernel.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When effects begin, are repeated and come back, on a clock that is moved. */
class EffectsTest extends SteppedFixture {
  private static final String CALLER =
      """
      machine: caller
      context:
        answer: { type: any, default: null, optional: true }
      states:
        IDLE:
          on:
            call:
              to: WAITING
              do:
                - perform: { effect: phone, idempotent: IDEMPOTENT, with: { number: 5 } }
        WAITING:
          waits: the answer comes
          on:
            phone.succeeded: { to: DONE, assign: { answer: event.said } }
            phone.failed: FAILED
            phone.unknown: UNCLEAR
        DONE: { final: true }
        FAILED: { final: true }
        UNCLEAR: { final: true }
      """;

  private void caller(boolean idempotent) {
    publish(CALLER.replace("IDEMPOTENT", String.valueOf(idempotent)));
    start("caller", "c");
  }

  @Test
  void an_effect_starts_after_its_commit_and_comes_back_as_an_event() {
    caller(true);
    List<EffectHandler.Call> calls = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          assertThat(states("c")).containsExactly("WAITING");
          calls.add(call);
          return Outcome.succeeded(Map.of("said", "hello"));
        });
    accepted(Command.Send.of("c", "call", null));
    assertThat(states("c")).containsExactly("DONE");
    assertThat(calls)
        .singleElement()
        .satisfies(call -> {
          assertThat(call.key()).isEqualTo("c#1");
          assertThat(call.input()).isEqualTo(Map.of("number", 5L));
        });
  }

  @Test
  void a_handler_that_says_later_is_asked_again_with_the_same_key() {
    caller(true);
    List<String> keys = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          keys.add(call.key());
          return call.attempt() < 3
              ? new Outcome.RetryAfter(Duration.ofSeconds(10), "engaged")
              : Outcome.succeeded(Map.of("said", "x"));
        });
    accepted(Command.Send.of("c", "call", null));
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofSeconds(10));
      box.rest();
    }
    assertThat(keys).containsExactly("c#1", "c#1", "c#1");
    assertThat(states("c")).containsExactly("DONE");
  }

  private void begunByTheDead() {
    EffectRow taken = journal.claim("dead", List.of("phone"), 60_000, 1).getFirst();
    assertThat(journal.begin(List.of(new Lease(taken.number(), taken.fence())))).isEmpty();
  }

  @Test
  void an_idempotent_effect_that_was_cut_off_is_repeated_with_its_key() {
    caller(true);
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "call", null));
    box.step();
    box.commit();
    begunByTheDead();
    box = open();
    box.handle("phone", call -> Outcome.succeeded(Map.of("said", "x")));
    box.rest();
    assertThat(states("c")).containsExactly("WAITING");
    clock.advance(Duration.ofMinutes(1));
    box.rest();
    assertThat(states("c")).containsExactly("DONE");
  }

  @Test
  void any_other_effect_that_was_cut_off_is_unknown_and_not_repeated() {
    caller(false);
    CompletableFuture<Reply> _ = box.submit(Command.Send.of("c", "call", null));
    box.step();
    box.commit();
    begunByTheDead();
    clock.advance(Duration.ofMinutes(1));
    box = open();
    List<String> keys = new ArrayList<>();
    box.handle(
        "phone",
        call -> {
          keys.add(call.key());
          return Outcome.succeeded();
        });
    box.rest();
    assertThat(keys).isEmpty();
    assertThat(states("c")).containsExactly("UNCLEAR");
  }

  @Test
  void a_handler_that_throws_is_repeated_only_where_that_is_allowed() {
    caller(false);
    box.handle(
        "phone",
        call -> {
          throw new IllegalStateException("line dead");
        });
    accepted(Command.Send.of("c", "call", null));
    assertThat(states("c")).containsExactly("UNCLEAR");
  }

  @Test
  void nobody_can_forge_the_result_of_an_effect() {
    caller(true);
    accepted(Command.Send.of("c", "call", null));
    assertThat(rejected(Command.Send.of("c", "phone.succeeded", Map.of("said", "y"))).code())
        .isEqualTo(Rejection.Code.RESERVED_EVENT);
  }
}
