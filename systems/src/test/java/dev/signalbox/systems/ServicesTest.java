package dev.signalbox.systems;

import static dev.signalbox.kernel.Rejection.Code.GUARD_REFUSED;
import static dev.signalbox.kernel.Rejection.Code.NO_TRANSITION;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks, workers and locks, which every system uses. */
class ServicesTest {

  private static Played running(int fence) {
    return Played.start("task")
        .send("assigned", "worker", "w1", "fence", fence)
        .send("started", "fence", fence);
  }

  private static Played fail(Played task, int fence, String cause) {
    return task.send("failed", "fence", fence, "cause", cause, "error", "broken");
  }

  @Test
  void a_task_that_succeeds_is_archived_after_five_minutes() {
    Played task = running(1).send("succeeded", "fence", 1, "result", "42");
    assertThat(task.states()).containsExactly("COMPLETED");

    assertThat(task.pass("5m").states()).containsExactly("ARCHIVED");
    assertThat(task.value("result")).isEqualTo("42");
  }

  @Test
  void a_result_under_an_old_fence_is_refused() {
    Played task =
        fail(running(1), 1, "temporary_error")
            .pass("5s")
            .send("assigned", "worker", "w2", "fence", 2)
            .send("started", "fence", 2);

    assertThat(task.refuses("succeeded", "fence", 1)).isEqualTo(GUARD_REFUSED);
    assertThat(task.send("succeeded", "fence", 2).states()).containsExactly("COMPLETED");
  }

  @Test
  void a_lease_takes_a_fence_above_every_earlier_one() {
    Played task = fail(running(5), 5, "temporary_error").pass("5s");

    assertThat(task.refuses("assigned", "worker", "w2", "fence", 5)).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void three_retries_wait_5_30_and_120_seconds_and_a_fourth_is_refused() {
    Played task = fail(running(1), 1, "worker_failure");
    int fence = 1;
    for (String[] backoff : new String[][] {{"4s", "1s"}, {"29s", "1s"}, {"119s", "1s"}}) {
      fence++;
      assertThat(task.states()).containsExactly("RETRY_QUEUED");
      task.pass(backoff[0]);
      assertThat(task.refuses("assigned", "worker", "w", "fence", fence)).isEqualTo(GUARD_REFUSED);
      task.pass(backoff[1])
          .send("assigned", "worker", "w", "fence", fence)
          .send("started", "fence", fence);
      fail(task, fence, "worker_failure");
    }

    assertThat(task.value("executions")).isEqualTo(4L);
    assertThat(task.states()).containsExactly("PERMANENTLY_FAILED");
    assertThat(task.pass("1h").states()).containsExactly("ARCHIVED");
    assertThat(task.records()).containsExactly("task.dead_letter");
  }

  @ParameterizedTest
  @ValueSource(strings = {"invalid_input", "safety_violation", "permanent_error"})
  void a_cause_that_a_retry_cannot_help_is_never_retried(String cause) {
    assertThat(fail(running(1), 1, cause).states()).containsExactly("PERMANENTLY_FAILED");
  }

  @Test
  void a_retry_for_which_no_worker_comes_is_given_up_after_the_time_of_its_priority() {
    Played task = fail(running(1), 1, "temporary_error").pass("1h");
    assertThat(task.states()).containsExactly("RETRY_QUEUED");

    assertThat(task.pass("5s").states()).containsExactly("PERMANENTLY_FAILED");
    assertThat(task.value("outcome")).isEqualTo("failed");
  }

  @Test
  void what_is_cancelled_or_acknowledged_is_cleaned_up_in_the_same_step() {
    Played cancelled = running(1).send("cancel", "reason", "not needed");
    assertThat(cancelled.states()).containsExactly("ARCHIVED");
    assertThat(cancelled.value("outcome")).isEqualTo("cancelled");

    Played seen = running(1).send("succeeded", "fence", 1).send("acknowledge");
    assertThat(seen.states()).containsExactly("ARCHIVED");
    assertThat(seen.value("outcome")).isEqualTo("completed");
  }

  @ParameterizedTest
  @CsvSource({"high, 299s, 1s", "normal, 59m, 1m", "low, 23h, 1h"})
  void a_queued_task_expires_by_its_priority(String priority, String before, String rest) {
    Played task = Played.start("task", "priority", priority).pass(before);
    assertThat(task.states()).containsExactly("QUEUED");

    assertThat(task.pass(rest).states()).containsExactly("ARCHIVED");
    assertThat(task.value("outcome")).isEqualTo("expired");
  }

  @Test
  void a_task_that_is_not_started_or_not_finished_in_time_may_be_retried() {
    Played late = Played.start("task").send("assigned", "worker", "w", "fence", 1).pass("30s");
    assertThat(late.states()).containsExactly("RETRY_QUEUED");
    assertThat(late.value("cause")).isEqualTo("worker_failure");

    Played slow = running(1).pass("5m");
    assertThat(slow.states()).containsExactly("RETRY_QUEUED");
    assertThat(slow.value("cause")).isEqualTo("timeout");
  }

  @Test
  void a_zombie_is_failed_as_a_worker_failure() {
    Played task = running(1).send("zombie", "reason", "silent for 300 s");

    assertThat(task.states()).containsExactly("RETRY_QUEUED");
    assertThat(task.value("cause")).isEqualTo("worker_failure");
  }

  @Test
  void a_worker_takes_no_more_before_it_is_done() {
    Played worker = Played.start("worker").send("ready").send("task_taken", "tasks", List.of("t1"));

    assertThat(worker.refuses("task_taken", "tasks", List.of("t2"))).isEqualTo(NO_TRANSITION);
    assertThat(worker.refuses("task_done", "tasks", List.of("t2"))).isEqualTo(GUARD_REFUSED);
    worker.send("task_done", "tasks", List.of("t1"), "next", List.of("t2"));
    assertThat(worker.states()).containsExactly("BUSY");
    assertThat(worker.send("task_done", "tasks", List.of("t2")).states()).containsExactly("READY");
  }

  @Test
  void a_worker_takes_only_the_kinds_it_knows() {
    Played worker = Played.start("worker", "kinds", List.of("review")).send("ready");

    List<String> tasks = List.of("t1", "t2");
    assertThat(worker.refuses("task_taken", "tasks", tasks, "kinds", List.of("review", "build")))
        .isEqualTo(GUARD_REFUSED);
    assertThat(worker.refuses("task_taken", "tasks", tasks)).isEqualTo(GUARD_REFUSED);
    worker.send("task_taken", "tasks", tasks, "kinds", List.of("review"));
    assertThat(worker.states()).containsExactly("BUSY");
  }

  @Test
  void a_worker_is_restarted_five_times_in_a_row_and_then_given_up() {
    Played worker = Played.start("worker");
    for (int i = 0; i < 5; i++) {
      worker.pass("30s").send("restart").send("starting");
    }
    worker.pass("30s");

    assertThat(worker.states()).containsExactly("FAILED_START");
    assertThat(worker.refuses("restart")).isEqualTo(GUARD_REFUSED);
    assertThat(worker.send("give_up").states()).containsExactly("TERMINATED");
  }

  @Test
  void a_busy_worker_is_drained_for_sixty_seconds() {
    Played worker =
        Played.start("worker")
            .send("ready")
            .send("task_taken", "tasks", List.of("t"))
            .send("drain");
    assertThat(worker.pass("59s").states()).containsExactly("SHUTTING_DOWN");

    assertThat(worker.pass("1s").states()).containsExactly("TERMINATED");
  }

  @Test
  void each_lock_has_a_higher_token_and_only_its_holder_releases() {
    Played lock = Played.start("lock", "resource", "repo").send("lock", "holder", "a");
    assertThat(lock.refuses("release", "token", 0)).isEqualTo(GUARD_REFUSED);

    lock.send("release", "token", 1).send("lock", "holder", "b");
    assertThat(lock.value("token")).isEqualTo(2L);
    assertThat(lock.refuses("release", "token", 1)).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_lock_is_broken_after_its_own_limit_or_five_minutes() {
    Played lock = Played.start("lock").send("lock", "holder", "a").pass("5m");
    assertThat(lock.states()).containsExactly("AVAILABLE");
    assertThat(lock.records()).containsExactly("lock.taken", "lock.broken");

    lock.send("lock", "holder", "b", "limit_ms", 1000).pass("1s");
    assertThat(lock.records()).endsWith("lock.taken", "lock.broken");
  }

  @Test
  void who_queued_first_goes_first() {
    Played lock =
        Played.start("lock")
            .send("lock", "holder", "a")
            .send("enqueue", "holder", "b")
            .send("enqueue", "holder", "c")
            .send("release", "token", 1);

    assertThat(lock.states()).containsExactly("OFFERED");
    assertThat(lock.refuses("lock", "holder", "c")).isEqualTo(GUARD_REFUSED);
    assertThat(lock.send("lock", "holder", "b").value("holder")).isEqualTo("b");
    assertThat(lock.refuses("enqueue", "holder", "b")).isEqualTo(GUARD_REFUSED);
  }

  @Test
  void a_reservation_lasts_thirty_seconds_and_then_the_next_has_it() {
    Played lock =
        Played.start("lock").send("enqueue", "holder", "b").send("enqueue", "holder", "c");
    assertThat(lock.value("reserved_for")).isEqualTo("b");

    lock.pass("30s");
    assertThat(lock.value("reserved_for")).isEqualTo("c");
    assertThat(lock.pass("29s").send("lock", "holder", "c").states()).containsExactly("LOCKED");
  }

  @Test
  void who_leaves_passes_the_reservation_on() {
    Played lock =
        Played.start("lock").send("enqueue", "holder", "b").send("enqueue", "holder", "c");

    lock.pass("20s").send("leave", "holder", "b").pass("29s");
    assertThat(lock.value("reserved_for")).isEqualTo("c");
    assertThat(lock.send("leave", "holder", "c").states()).containsExactly("DECLINED");
    assertThat(lock.send("lock", "holder", "a").value("token")).isEqualTo(1L);
  }

  @Test
  void an_operator_may_break_a_lock() {
    Played lock = Played.start("lock").send("lock", "holder", "a").send("enqueue", "holder", "b");

    lock.send("deadline", "reason", "it hangs");
    assertThat(lock.value("reserved_for")).isEqualTo("b");
    assertThat(lock.refuses("release", "token", 1)).isEqualTo(NO_TRANSITION);
  }
}
