package dev.signalbox.services.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a lock promises, on a manual clock. */
class LocksTest {
  private static final Actor OPERATOR = new Actor(Actor.Kind.USER, "kim", List.of("operator"));
  private static final Duration LONG = Duration.ofHours(1);

  private final ManualClock clock = new ManualClock();
  private ManualSignalbox box =
      new ManualSignalbox(new MemoryJournal(clock), Settings.DEFAULT, clock, new Random(1));
  private Locks locks = Locks.stepped(box);

  @BeforeEach
  void rest() {
    for (int i = 0; i < 5; i++) {
      box.rest();
      locks.tick();
    }
  }

  private void pass(Duration time) {
    clock.advance(time);
    rest();
  }

  private Locked ask(String holder) {
    CompletableFuture<Locked> answer = locks.ask("repo", holder, null);
    rest();
    return answer.join();
  }

  private <T> T done(CompletableFuture<T> reply) {
    rest();
    return reply.join();
  }

  private Lock lock() {
    return Objects.requireNonNull(locks.find("repo"));
  }

  @Test
  void a_free_lock_is_taken_at_once_with_a_token() {
    assertThat(ask("a"))
        .isEqualTo(new Locked.Held("repo", "a", 1, clock.millis() + 5 * 60 * 1_000));
    assertThat(lock().state()).isEqualTo("LOCKED");
  }

  @Test
  void who_has_it_is_refused_a_second_time_and_told_so() {
    ask("a");

    assertThat(ask("a"))
        .isInstanceOfSatisfying(
            Locked.Refused.class,
            refused -> {
              assertThat(refused.rejection().code()).isEqualTo(Rejection.Code.GUARD_REFUSED);
              assertThat(refused.rejection().message())
                  .contains("'a' has it already, with token 1")
                  .contains("not re-entrant");
            });
  }

  @Test
  void who_waits_gets_it_in_the_order_of_asking_with_growing_tokens() {
    ask("a");
    CompletableFuture<Locked> b = locks.lock("repo", "b", null, LONG);
    rest();
    CompletableFuture<Locked> c = locks.lock("repo", "c", null, LONG);
    rest();
    assertThat(done(locks.release("repo", 1, null))).isInstanceOf(Reply.Accepted.class);

    assertThat(b.join())
        .isInstanceOfSatisfying(Locked.Held.class, h -> assertThat(h.token()).isEqualTo(2));
    assertThat(c).isNotDone();
    done(locks.release("repo", 2, null));
    assertThat(c.join())
        .isInstanceOfSatisfying(Locked.Held.class, h -> assertThat(h.token()).isEqualTo(3));
  }

  @Test
  void a_lock_is_broken_after_its_limit_and_the_old_token_is_worth_nothing() {
    ask("a");
    CompletableFuture<Locked> b = locks.lock("repo", "b", null, LONG);
    rest();
    pass(Duration.ofMinutes(5));

    assertThat(b.join()).isInstanceOf(Locked.Held.class);
    assertThat(done(locks.release("repo", 1, null))).isInstanceOf(Reply.Rejected.class);
    assertThat(lock().holder()).isEqualTo("b");
  }

  @Test
  void the_operations_own_limit_counts() {
    assertThat(done(locks.ask("repo", "a", Duration.ofSeconds(20))))
        .isEqualTo(new Locked.Held("repo", "a", 1, clock.millis() + 20_000));
    pass(Duration.ofMillis(19_999));
    assertThat(lock().holder()).isEqualTo("a");
    pass(Duration.ofMillis(1));
    assertThat(lock().state()).isEqualTo("AVAILABLE");
    assertThat(ask("b"))
        .isEqualTo(new Locked.Held("repo", "b", 2, clock.millis() + 5 * 60 * 1_000));
  }

  @Test
  void a_waiter_that_is_gone_is_passed_over_after_thirty_seconds() {
    ask("a");
    assertThat(ask("gone")).isEqualTo(new Locked.Queued("repo", "gone", 0));
    CompletableFuture<Locked> c = locks.lock("repo", "c", null, LONG);
    rest();
    done(locks.release("repo", 1, null));
    pass(Duration.ofSeconds(29));
    assertThat(c).isNotDone();
    assertThat(lock().reservedFor()).isEqualTo("gone");

    pass(Duration.ofSeconds(1));
    assertThat(c.join()).isInstanceOf(Locked.Held.class);
  }

  @Test
  void who_loses_patience_leaves_the_queue_and_holds_nobody_up() {
    ask("a");
    CompletableFuture<Locked> b = locks.lock("repo", "b", null, Duration.ofSeconds(10));
    rest();
    CompletableFuture<Locked> c = locks.lock("repo", "c", null, LONG);
    rest();
    pass(Duration.ofSeconds(10));
    assertThat(b.join()).isInstanceOf(Locked.Queued.class);
    assertThat(lock().queue()).containsExactly("c");

    done(locks.release("repo", 1, null));
    assertThat(c.join()).isInstanceOf(Locked.Held.class);
  }

  @Test
  void only_an_operator_breaks_a_lock() {
    ask("a");
    assertThat(done(locks.breakOpen("repo", "it hangs", Actor.SYSTEM)))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.ROLE_REQUIRED));

    assertThat(done(locks.breakOpen("repo", "it hangs", OPERATOR)))
        .isInstanceOf(Reply.Accepted.class);
    assertThat(lock().state()).isEqualTo("AVAILABLE");
    assertThat(done(locks.release("repo", 1, null))).isInstanceOf(Reply.Rejected.class);
  }

  @Test
  void a_restart_loses_nothing_of_the_queue() {
    ask("a");
    ask("b");
    ask("c");
    box = new ManualSignalbox(box.journal(), Settings.DEFAULT, clock, new Random(2));
    locks = Locks.stepped(box);

    assertThat(lock().queue()).containsExactly("b", "c");
    done(locks.release("repo", 1, null));
    assertThat(ask("c")).isEqualTo(new Locked.Queued("repo", "c", 1));
    assertThat(ask("b")).isInstanceOf(Locked.Held.class);
  }

  @Test
  void a_name_that_is_none_is_refused() {
    CompletableFuture<Locked> answer = locks.ask(" ", "a", null);
    assertThat(answer.join())
        .isInstanceOfSatisfying(
            Locked.Refused.class,
            r -> assertThat(r.rejection().code()).isEqualTo(Rejection.Code.BAD_DATA));
  }
}
