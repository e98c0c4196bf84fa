package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Reply;
import dev.signalbox.testkit.ForwardingJournal;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What the queue promises, on a manual clock. */
class TaskQueueTest {
  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of());
  private static final NewTask WORK = NewTask.of("work", "ann");

  private final ManualClock clock = new ManualClock();
  private final MemoryJournal journal = new MemoryJournal(clock);
  private final SteppedQueue queue = new SteppedQueue(journal, clock, 1);

  private static Rejection rejected(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Rejected.class);
    return ((Reply.Rejected) reply).rejection();
  }

  @Test
  void tasks_are_leased_by_priority_and_then_in_the_order_of_coming() {
    String low = queue.submit(WORK.priority(Priority.LOW));
    String first = queue.submit(WORK);
    String second = queue.submit(WORK);
    String high = queue.submit(WORK.priority(Priority.HIGH));

    assertThat(queue.take("w", 4))
        .extracting(Lease::task)
        .containsExactly(high, first, second, low);
  }

  @Test
  void after_an_hour_a_task_counts_as_one_of_the_next_higher_priority() {
    String low = queue.submit(WORK.priority(Priority.LOW));
    queue.pass(Duration.ofMinutes(61));
    String normal = queue.submit(WORK);
    String high = queue.submit(WORK.priority(Priority.HIGH));
    assertThat(queue.take("w", 2)).extracting(Lease::task).containsExactly(high, low);

    String old = queue.submit(WORK.priority(Priority.LOW));
    queue.pass(Duration.ofMinutes(121));
    String urgent = queue.submit(WORK.priority(Priority.HIGH));
    assertThat(queue.take("w", 3)).extracting(Lease::task).containsExactly(old, urgent);
    assertThat(queue.state(normal)).isEqualTo("ARCHIVED");
  }

  @Test
  void retries_come_5_30_and_120_seconds_after_a_failure_and_not_a_moment_earlier() {
    String id = queue.submit(WORK.queueLimit(Duration.ofHours(2)));
    long fence = 0;
    for (int pause : new int[] {5, 30, 120}) {
      Lease lease = queue.take("w", 1).getFirst();
      assertThat(lease.fence()).isGreaterThan(fence);
      fence = lease.fence();
      queue.fail(lease, Cause.TEMPORARY_ERROR);
      assertThat(queue.state(id)).isEqualTo("RETRY_QUEUED");
      assertThat(queue.task(id).notBefore()).isEqualTo(clock.millis() + pause * 1_000L);
      queue.pass(Duration.ofMillis(pause * 1_000L - 1));
      assertThat(queue.take("w", 1)).isEmpty();
      queue.pass(Duration.ofMillis(1));
    }
    Lease last = queue.take("w", 1).getFirst();
    assertThat(last.execution()).isEqualTo(4);
    queue.fail(last, Cause.TEMPORARY_ERROR);

    assertThat(queue.state(id)).isEqualTo("PERMANENTLY_FAILED");
    queue.pass(Duration.ofHours(1));
    assertThat(queue.state(id)).isEqualTo("ARCHIVED");
    assertThat(queue.task(id).executions()).isEqualTo(4);
  }

  @Test
  void a_retry_comes_at_its_time_however_many_tasks_wait_and_however_slowly_the_store_is_read() {
    Journal slow =
        new ForwardingJournal(new MemoryJournal(clock)) {
          @Override
          public List<InstanceRow> query(Query query) {
            clock.advance(Duration.ofMillis(300));
            return super.query(query);
          }
        };
    SteppedQueue small = new SteppedQueue(slow, clock, 1, 4);
    for (int i = 0; i < 12; i++) {
      small.submit(WORK);
    }
    Lease failing = small.take("w", 1).getFirst();
    small.submit(WORK);
    small.fail(failing, Cause.TEMPORARY_ERROR);
    long notBefore = small.task(failing.task()).notBefore();
    int others = 0;
    for (List<Lease> some = small.take("v", 1); !some.isEmpty(); some = small.take("v", 1)) {
      others += some.size();
    }
    assertThat(others).isEqualTo(12);
    assertThat(clock.millis()).isLessThan(notBefore);
    small.pass(Duration.ofMillis(notBefore - clock.millis()));
    assertThat(small.take("v", 1)).extracting(Lease::task).containsExactly(failing.task());
  }

  @ParameterizedTest
  @EnumSource(
      value = Cause.class,
      names = {"INVALID_INPUT", "SAFETY_VIOLATION", "PERMANENT_ERROR"})
  void a_cause_that_a_retry_cannot_help_ends_the_task_at_once(Cause cause) {
    String id = queue.submit(WORK);
    queue.fail(queue.take("w", 1).getFirst(), cause);

    assertThat(queue.state(id)).isEqualTo("PERMANENTLY_FAILED");
    assertThat(queue.task(id).cause()).isEqualTo(cause);
  }

  @Test
  void a_retry_goes_to_another_worker_if_there_is_one() {
    queue.submit(WORK);
    assertThat(queue.take("b", 1, "other")).isEmpty();
    Lease lease = queue.take("a", 1).getFirst();
    queue.take("c", 1);
    queue.fail(lease, Cause.WORKER_FAILURE);
    queue.pass(Duration.ofSeconds(5));

    assertThat(queue.take("a", 1)).isEmpty();
    assertThat(queue.take("c", 1)).hasSize(1);
  }

  @Test
  void a_retry_for_which_no_other_worker_comes_is_not_kept_from_the_one_that_failed() {
    queue.submit(WORK);
    Lease lease = queue.take("a", 1).getFirst();
    queue.take("c", 1);
    queue.fail(lease, Cause.WORKER_FAILURE);
    queue.pass(Duration.ofSeconds(35));

    assertThat(queue.take("a", 1)).hasSize(1);
  }

  @Test
  void a_worker_that_runs_over_the_limit_loses_the_task_and_its_result_is_refused() {
    String id = queue.submit(WORK.limit(Duration.ofSeconds(10)));
    Lease late = queue.take("a", 1).getFirst();
    queue.pass(Duration.ofSeconds(10));
    assertThat(queue.task(id).cause()).isEqualTo(Cause.TIMEOUT);
    assertThat(rejected(queue.succeed(late)).code()).isEqualTo(Rejection.Code.NO_TRANSITION);

    queue.pass(Duration.ofSeconds(5));
    Lease next = queue.take("b", 1).getFirst();
    assertThat(rejected(queue.succeed(late)).code()).isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(java.util.Objects.requireNonNull(queue.box.find(id)).refusals()).isEqualTo(2);
    assertThat(queue.succeed(next)).isInstanceOf(Reply.Accepted.class);
    assertThat(queue.task(id).outcome()).isEqualTo("completed");
  }

  @Test
  void a_lease_that_is_not_started_within_thirty_seconds_is_lost() {
    String id = queue.submit(WORK);
    Polled polled =
        queue.done(
            queue.queue.take("a", List.of(), 1, false, Duration.ZERO, SteppedQueue.UNWATCHED));
    Lease lease = ((Polled.Granted) polled).leases().getFirst();
    assertThat(lease.started()).isFalse();
    assertThat(queue.state(id)).isEqualTo("ASSIGNED");
    queue.pass(Duration.ofSeconds(30));

    assertThat(queue.state(id)).isEqualTo("RETRY_QUEUED");
    rejected(queue.done(queue.queue.started(id, lease.fence(), "a", null)));
  }

  @ParameterizedTest
  @CsvSource({"HIGH, 5m", "NORMAL, 1h", "LOW, 24h"})
  void a_task_expires_by_its_priority(Priority priority, String wait) {
    String id = queue.submit(WORK.priority(priority));
    Duration limit = Duration.parse("PT" + wait.toUpperCase(java.util.Locale.ROOT));
    queue.pass(limit.minusMillis(1));
    assertThat(queue.state(id)).isEqualTo("QUEUED");
    queue.pass(Duration.ofMillis(1));

    assertThat(queue.task(id).outcome()).isEqualTo("expired");
    assertThat(queue.take("w", 1)).isEmpty();
  }

  @Test
  void the_same_key_gives_the_same_task() {
    String id = queue.submit(WORK.key("k").input(Map.of("n", 1)));

    assertThat(queue.submit(WORK.key("k").input(Map.of("n", 1)))).isEqualTo(id);
    assertThat(queue.done(queue.queue.submit(WORK.key("k"), Actor.SYSTEM)))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            other -> assertThat(other.rejection().code()).isEqualTo(Rejection.Code.KEY_TAKEN));
    assertThat(queue.take("w", 5)).hasSize(1);
  }

  @Test
  void the_same_report_twice_with_its_key_counts_once() {
    queue.submit(WORK);
    Lease lease = queue.take("w", 1).getFirst();
    for (int i = 0; i < 2; i++) {
      assertThat(
              queue.done(queue.queue.succeeded(lease.task(), lease.fence(), "w", "r", "report-1")))
          .isInstanceOf(Reply.Accepted.class);
    }
  }

  @Test
  void a_person_makes_a_new_task_from_one_that_failed_for_good() {
    String id = queue.submit(WORK.input("x").priority(Priority.HIGH));
    assertThat(rejected(queue.done(queue.queue.retry(id, KIM))).message())
        .contains("it is in QUEUED");
    queue.fail(queue.take("w", 1).getFirst(), Cause.PERMANENT_ERROR);

    for (Actor.Kind kind : List.of(Actor.Kind.AGENT, Actor.Kind.SYSTEM)) {
      Actor bot = new Actor(kind, "bot", List.of("operator"));
      assertThat(rejected(queue.done(queue.queue.retry(id, bot))).code())
          .isEqualTo(Rejection.Code.ROLE_REQUIRED);
    }
    Reply reply = queue.done(queue.queue.retry(id, KIM));
    String fresh = ((Reply.Accepted) reply).receipt().instance();
    assertThat(queue.task(fresh).madeFrom()).isEqualTo(id);
    assertThat(queue.task(fresh).input()).isEqualTo("x");
    assertThat(queue.task(fresh).priority()).isEqualTo(Priority.HIGH);
    assertThat(queue.done(queue.queue.retry(id, KIM))).isEqualTo(reply);
    assertThat(queue.take("w", 5)).extracting(Lease::task).containsExactly(fresh);
    assertThat(queue.state(id)).isEqualTo("PERMANENTLY_FAILED");
  }

  @Test
  void a_cancelled_task_is_not_leased_and_a_running_one_is_taken_from_its_worker() {
    String waiting = queue.submit(WORK);
    queue.done(queue.queue.cancel(waiting, "not needed", KIM, null));
    assertThat(queue.take("w", 1)).isEmpty();

    String running = queue.submit(WORK);
    Lease lease = queue.take("w", 1).getFirst();
    queue.done(queue.queue.cancel(running, "not needed", KIM, null));
    assertThat(rejected(queue.done(queue.queue.heartbeat(running, lease.fence(), "w"))).code())
        .isEqualTo(Rejection.Code.INSTANCE_FINAL);
    assertThat(queue.task(running).outcome()).isEqualTo("cancelled");
  }

  @Test
  void an_acknowledged_result_is_cleaned_up_at_once_and_another_after_five_minutes() {
    String seen = queue.submit(WORK);
    queue.succeed(queue.take("w", 1).getFirst());
    queue.done(queue.queue.acknowledge(seen, KIM, null));
    assertThat(queue.state(seen)).isEqualTo("ARCHIVED");

    String unseen = queue.submit(WORK);
    queue.succeed(queue.take("w", 1).getFirst());
    queue.pass(Duration.ofMinutes(5));
    assertThat(queue.state(unseen)).isEqualTo("ARCHIVED");
    assertThat(queue.task(unseen).result()).isEqualTo("ok");
  }

  @Test
  void a_task_that_depends_on_an_unknown_one_is_refused() {
    CompletableFuture<Reply> reply = queue.queue.submit(WORK.after("nobody"), KIM);
    assertThat(rejected(reply.join()).message()).contains("'nobody'");
  }

  @Test
  void a_task_that_depends_on_others_is_leased_when_all_of_them_are_complete() {
    String one = queue.submit(WORK);
    String two = queue.submit(WORK);
    String last = queue.submit(WORK.after(one, two).priority(Priority.HIGH));
    List<Lease> leases = queue.take("w", 5);
    assertThat(leases).extracting(Lease::task).containsExactly(one, two);
    queue.succeed(leases.get(0));
    assertThat(queue.take("w", 5)).isEmpty();
    queue.succeed(leases.get(1));

    assertThat(queue.take("w", 5)).extracting(Lease::task).containsExactly(last);
  }

  @Test
  void a_restart_finds_everything_that_waits() {
    queue.submit(WORK);
    queue.fail(queue.take("w", 1).getFirst(), Cause.TEMPORARY_ERROR);
    String second = queue.submit(WORK);
    String third = queue.submit(WORK.after(second));

    SteppedQueue again = new SteppedQueue(journal, clock, 2);
    again.rest();
    List<Lease> leases = again.take("w", 5);
    assertThat(leases).extracting(Lease::task).containsExactly(second);
    again.succeed(leases.getFirst());
    again.pass(Duration.ofSeconds(5));
    assertThat(again.take("v", 5)).hasSize(2).extracting(Lease::task).contains(third);
  }

  @Test
  void what_has_no_room_in_memory_is_read_from_the_store_piece_by_piece() {
    SteppedQueue small = new SteppedQueue(journal, clock, 1, 1_200);
    for (int i = 0; i < 4_000; i++) {
      var _ = small.queue.submit(WORK, KIM);
      if (i % 500 == 499) {
        small.rest();
      }
    }
    Set<String> leased = new HashSet<>();
    List<Lease> some = small.take("w", 100);
    while (!some.isEmpty()) {
      some.forEach(lease -> assertThat(leased.add(lease.task())).isTrue());
      some = small.take("w", 100);
    }
    assertThat(leased).hasSize(4_000);
  }

  @Test
  void a_task_behind_many_that_wait_for_another_is_found() {
    MemoryJournal shared = new MemoryJournal(clock, true);
    SteppedQueue other = new SteppedQueue(shared, clock, 1);
    String first = other.submit(WORK);
    for (int i = 0; i < 2_500; i++) {
      var _ = other.queue.submit(WORK.after(first), KIM);
    }
    String free = other.submit(NewTask.of("free", "o"));
    SteppedQueue small = new SteppedQueue(shared, clock, 2, 1_000);
    small.rest();
    small.pass(Duration.ofSeconds(5));
    assertThat(small.take("w", 1, "free")).extracting(Lease::task).containsExactly(free);
  }

  @Test
  void two_nodes_lease_each_task_once() {
    MemoryJournal shared = new MemoryJournal(clock, true);
    SteppedQueue a = new SteppedQueue(shared, clock, 3);
    SteppedQueue b = new SteppedQueue(shared, clock, 4);
    for (int i = 0; i < 20; i++) {
      a.submit(WORK);
    }
    b.pass(Duration.ofSeconds(1));
    var one = a.queue.take("a", List.of(), 20, true, Duration.ZERO, SteppedQueue.UNWATCHED);
    var two = b.queue.take("b", List.of(), 20, true, Duration.ofSeconds(9), SteppedQueue.UNWATCHED);
    List<Lease> first = ((Polled.Granted) a.done(one)).leases();
    b.pass(Duration.ofSeconds(10));
    List<Lease> second = ((Polled.Granted) two.join()).leases();

    assertThat(first).hasSize(20);
    assertThat(second).isEmpty();
  }
}
