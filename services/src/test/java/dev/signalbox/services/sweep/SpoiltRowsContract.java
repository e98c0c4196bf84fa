package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Verification;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Workers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Rows that say other than the journal, or nothing that can be read, are put right in one sweep.
 */
abstract class SpoiltRowsContract extends SweptStore {
  @Test
  void states_that_the_machine_does_not_have_go_back_to_the_last_valid_ones() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "LIT", "NOWHERE");
    assertThat(correctedOnce("invalid", id).kind()).isEqualTo("correct");
    assertThat(box.instance(id).leaves()).containsExactly("LIT");
    assertThat(box.instance(id).deadlines()).hasSize(1);
    send(id, "dim", Map.of());
    assertThat(box.instance(id).context()).containsEntry("n", 1L);
  }

  private static final Logger RUNTIME = Logger.getLogger("dev.signalbox.runtime");

  /** The faults that the runtime tells of while this goes on. */
  private static List<LogRecord> faultsOf(Executable work) throws Exception {
    List<LogRecord> faults = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
              faults.add(record);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    RUNTIME.addHandler(handler);
    try {
      work.execute();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      RUNTIME.removeHandler(handler);
    }
    return faults;
  }

  @Test
  void a_row_that_cannot_be_read_is_named_once_and_stands_still_until_a_sweep_puts_it_right()
      throws Exception {
    start("lamp", "l-1", Map.of());
    start("lamp", "l-2", Map.of());
    send("l-1", "light", Map.of());
    send("l-2", "light", Map.of());
    List<LogRecord> faults =
        faultsOf(() -> {
          rewrite("instance", "snapshot", "id = 'l-1'", "LIT", "NOWHERE");
          for (int i = 0; i < 2; i++) {
            clock.advance(Duration.ofHours(1));
            until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
            until(() -> box.instance("l-2").leaves().equals(List.of("DARK")));
            send("l-2", "light", Map.of());
          }
          halted("l-1");
        });
    assertThat(faults)
        .singleElement()
        .satisfies(fault -> {
          assertThat(fault.getMessage())
              .startsWith("Expected to go on with 'l-1', but its row can't be read:")
              .contains("'NOWHERE'");
          assertThat(fault.getThrown()).isNull();
        });

    faults =
        faultsOf(() -> {
          box.close();
          box = open();
          send("l-2", "dim", Map.of());
        });
    assertThat(faults).isEmpty();
    assertThat(row("l-1").sequence()).isEqualTo(2);
    assertThat(box.instances(Query.ALL.ofMachine("lamp")))
        .extracting(Instance::id, Instance::status, Instance::leaves)
        .containsExactly(
            Tuple.tuple("l-1", "unreadable", List.of()),
            Tuple.tuple("l-2", "live", List.of("DARK")));
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(sweeper().sweep(false).isClean()).isTrue();
    assertThat(verified()).isEmpty();
  }

  @Test
  void what_comes_for_a_row_that_cannot_be_read_waits_until_it_is_put_right() throws Exception {
    send(start("lamp", "l-1", Map.of()), "open", Map.of());
    until(() -> !box.instances(Query.ALL.ofMachine("bulb")).isEmpty());
    String child = box.instances(Query.ALL.ofMachine("bulb")).getFirst().id();
    rewrite("instance", "snapshot", "id = 'l-1'", "OPEN", "NOWHERE");
    send(child, "burst", Map.of());
    until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
    assertThat(box.journal().messages(0, 10)).hasSize(1);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(box.journal().messages(0, 10)).isEmpty();
  }

  @Test
  void a_task_and_a_worker_whose_rows_cannot_be_read_keep_no_others_from_theirs() throws Exception {
    start("task", "t-8", Map.of());
    start("task", "t-9", Map.of());
    String lost = runningTask(start("worker", "w-1", Map.of("name", "w-1")));
    send("w-1", "start_failed", Map.of("error", "it broke"), "system");
    send(start("worker", "w-2", Map.of("name", "w-2")), "ready", Map.of(), "worker");
    rewrite("instance", "snapshot", "id = 't-8'", "QUEUED", "NOWHERE");
    rewrite("instance", "snapshot", "id = 'w-2'", "READY", "NOWHERE");
    try (TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue)) {
      Reply registered = workers.register("w-3", "", List.of(), true, Actor.SYSTEM, null).join();
      String worker = ((Reply.Accepted) registered).receipt().instance();
      assertThat(workers.ready(worker, null).join()).isInstanceOf(Reply.Accepted.class);
      assertThat(workers.poll(worker, 1, true, Duration.ofSeconds(10)).join())
          .isInstanceOfSatisfying(
              Polled.Granted.class,
              granted ->
                  assertThat(granted.leases()).extracting(Lease::task).containsExactly("t-9"));
      until(() -> !box.instance(lost).leaves().equals(List.of("RUNNING")));
      assertThat(workers.workers(Query.ALL)).hasSize(3);
      assertThat(queue.tasks(Query.ALL)).hasSize(3);
    }
  }

  @Test
  void what_an_effect_reports_to_a_row_that_cannot_be_read_comes_once_it_is_put_right()
      throws Exception {
    send(start("lamp", "l-1", Map.of()), "call", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "CALLING", "NOWHERE");
    AtomicInteger rung = new AtomicInteger();
    box.handle(
        "bell",
        _ -> {
          rung.incrementAndGet();
          return Outcome.succeeded();
        });
    until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
    assertThat(box.journal().effects(0, 10)).isEmpty();
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(rung).hasValue(1);
  }

  @Test
  void a_context_that_no_entry_gives_goes_back_to_what_the_journal_says() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "\"n\":1", "\"n\":77");
    correctedOnce("invalid", id);
    assertThat(box.instance(id).context()).containsEntry("n", 1L);
  }

  @Test
  void a_timer_that_the_store_has_forgotten_fires_after_the_sweep() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    plant("update instance set due = ? where id = ?", Long.MAX_VALUE, id);
    correctedOnce("invalid", id);
    clock.advance(Duration.ofHours(1));
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void an_instance_that_has_ended_and_is_said_to_live_is_ended_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "end", Map.of());
    plant("update instance set status = 0 where id = ?", id);
    correctedOnce("invalid", id);
    assertThat(box.instance(id).status()).isEqualTo("ended");
  }

  @Test
  void an_instance_that_lives_and_is_said_to_have_ended_lives_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    assertThat(verified()).isEmpty();
    plant("update instance set status = 3, due = ? where id = ?", Long.MAX_VALUE, id);
    assertThat(verified())
        .containsExactly(
            new Verification.Finding(
                "row-differs", id, "its row is ended, and its entries have not ended it"));
    FeedEntry entry = correctedOnce("invalid", id);
    assertThat(entry.kind()).isEqualTo("correct");
    assertThat(String.valueOf(entry.event().get("data")))
        .contains("its row is ended and its journal live");
    assertThat(box.instance(id).status()).isEqualTo("live");
    clock.advance(Duration.ofHours(1));
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void what_is_paused_and_said_to_have_ended_is_paused_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    accepted(new Command.Pause(id, Command.Clocks.RUNNING, Actor.SYSTEM, null));
    plant("update instance set status = 3 where id = ?", id);
    correctedOnce("invalid", id);
    assertThat(box.instance(id).status()).isEqualTo("paused");
  }

  @Test
  void a_child_stays_when_its_parent_is_only_said_to_have_ended() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "open", Map.of());
    until(() -> !box.instances(Query.ALL.ofMachine("bulb")).isEmpty());
    String child = box.instances(Query.ALL.ofMachine("bulb")).getFirst().id();
    plant("update instance set status = 3 where id = ?", id);
    clock.advance(Duration.ofMinutes(2));
    correctedOnce("invalid", id);
    assertThat(box.instance(child).status()).isEqualTo("live");
    send(child, "burst", Map.of());
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void a_task_stays_with_a_worker_that_is_only_said_to_have_ended() throws Exception {
    String task = runningTask(start("worker", "w-1", Map.of("name", "w-1")));
    plant("update instance set status = 3 where id = 'w-1'");
    correctedOnce("invalid", "w-1");
    assertThat(box.instance(task).leaves()).containsExactly("RUNNING");
  }

  @Test
  void a_sweep_of_few_ended_instances_is_followed_by_one_that_goes_on_behind_them()
      throws Exception {
    for (int i = 1; i <= 5; i++) {
      send(start("lamp", "l-" + i, Map.of()), i == 4 ? "light" : "end", Map.of());
    }
    plant("update instance set status = 3 where id = 'l-4'");
    SweepSettings two =
        new SweepSettings(Duration.ZERO, Duration.ofMinutes(5), 1_000, 1_000, 2, 10, 10);
    Sweeper sweeper = new Sweeper(box, Sweeper.standard(), two);
    assertThat(sweeper.sweep(false).isClean()).isTrue();
    assertThat(sweeper.sweep(true).corrected()).isZero();
    assertThat(sweeper.sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance("l-4").status()).isEqualTo("live");
    assertThat(sweeper.sweep(false).isClean()).isTrue();
  }

  @Test
  void a_journal_that_was_changed_is_reported_and_left_to_people() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("entry", "body", "sequence = 2", "\"n\":1", "\"n\":7");
    SweepReport report = sweeper().sweep(false);
    assertThat(report.outcomes())
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.finding().kind()).isEqualTo("invalid");
          assertThat(outcome.finding().correction()).isEqualTo(new Correction.None());
          assertThat(outcome.finding().reason()).contains("verify the journal");
        });
  }
}
