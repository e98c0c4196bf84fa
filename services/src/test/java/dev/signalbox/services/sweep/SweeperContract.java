package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** What was lost or left behind is found and put right within one sweep. */
abstract class SweeperContract extends SweptStore {
  @Test
  void an_instance_whose_effect_is_gone_is_told_that_nobody_knows() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "call", Map.of());
    plant("delete from effect");
    clock.advance(Duration.ofMinutes(2));
    FeedEntry entry = correctedOnce("unattended", id);
    assertThat(entry.eventName()).isEqualTo("bell.unknown");
    assertThat(box.instance(id).leaves()).containsExactly("UNSURE");
  }

  /** A step matches names as prefixes, so these wait for the bell and for nobody else. */
  @Test
  void so_is_one_that_waits_for_it_by_patterns() throws Exception {
    publish(
        """
        machine: siren
        states:
          CALLING:
            waits: for the bell
            entry: [ { perform: { effect: bell } } ]
            on: { bell.succeeded.*: DONE, bell.failed: DONE, bell.unknown.*: UNSURE }
          UNSURE: { waits: for a person, on: { dim: DONE } }
          DONE: { final: true }
        """);
    String id = start("siren", "s-1", Map.of());
    plant("delete from effect");
    clock.advance(Duration.ofMinutes(2));
    assertThat(correctedOnce("unattended", id).eventName()).isEqualTo("bell.unknown");
    assertThat(box.instance(id).leaves()).containsExactly("UNSURE");
  }

  @Test
  void a_child_whose_parent_has_ended_ends() throws Exception {
    send(start("lamp", "l-1", Map.of()), "end", Map.of());
    String child = start("bulb", "b-1", Map.of());
    plant("update instance set parent = 'l-1' where id = ?", child);
    clock.advance(Duration.ofMinutes(2));
    List<String> before = contents();
    assertThat(sweeper().sweep(true).outcomes())
        .extracting(o -> o.finding().kind(), o -> o.finding().correction())
        .containsExactly(Tuple.tuple("orphan", new Correction.Cancel()));
    assertThat(contents()).isEqualTo(before);
    long end = box.feed().end();
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance(child).status()).isEqualTo("ended");
    until(() -> firstAfter(end, child) != null);
    FeedEntry last = Objects.requireNonNull(firstAfter(end, child));
    assertThat(String.valueOf(last.event().get("data"))).contains("its parent 'l-1' has ended");
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
  }

  @Test
  void an_approval_whose_asker_has_ended_is_closed() throws Exception {
    String lamp = start("lamp", "l-1", Map.of());
    String approval =
        start(
            "approval",
            "a-1",
            Map.of("owner", lamp, "action", "light", "digest", "d", "requester", "agent"));
    send(lamp, "end", Map.of());
    clock.advance(Duration.ofMinutes(2));
    List<String> before = contents();
    assertThat(sweeper().sweep(true).counts()).containsOnlyKeys("orphan");
    assertThat(contents()).isEqualTo(before);
    SweepReport report = sweeper().sweep(false);
    assertThat(report.corrected()).isEqualTo(1);
    assertThat(box.instance(approval).leaves()).containsExactly("ABORTED");
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
  }

  @Test
  void a_task_whose_worker_is_gone_fails() throws Exception {
    String worker = start("worker", "w-1", Map.of("name", "w-1"));
    String task = runningTask(worker);
    send(worker, "start_failed", Map.of("error", "none"), "worker");
    send(worker, "give_up", Map.of(), "system");
    FeedEntry entry = correctedOnce("zombie", task);
    assertThat(entry.eventName()).isEqualTo("zombie");
    assertThat(String.valueOf(entry.body().get("microsteps"))).contains("entered=[FAILED]");
    assertThat(box.instance(task).context()).containsEntry("cause", "worker_failure");
  }

  @Test
  void a_task_whose_worker_is_silent_for_too_long_fails() {
    String task = runningTask("elsewhere");
    Sweeper zombies =
        new Sweeper(box, List.of(new ZombieSweep(Duration.ofMinutes(5))), SweepSettings.DEFAULT);
    clock.advance(Duration.ofMinutes(5));
    assertThat(zombies.sweep(false).isClean()).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(zombies.sweep(false).corrected()).isEqualTo(1);
    assertThat(String.valueOf(box.instance(task).context().get("error")))
        .contains("silent for 301 s");
  }

  /** A worker of which nothing is left in the store can't speak for its task any more. */
  @Test
  void a_task_whose_worker_was_taken_out_of_the_store_fails() throws Exception {
    String worker = start("worker", "w-1", Map.of("name", "w-1"));
    send(worker, "ready", Map.of(), "worker");
    String task = runningTask(worker);
    clock.advance(Duration.ofSeconds(299));
    send(worker, "heartbeat", Map.of(), "worker");
    clock.advance(Duration.ofSeconds(2));
    assertThat(sweeper().sweep(false).isClean()).isTrue();

    plant("delete from instance where id = ?", worker);
    List<String> before = contents();
    assertThat(sweeper().sweep(true).counts()).containsExactly(Map.entry("zombie", 1L));
    assertThat(contents()).isEqualTo(before);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance(task).leaves()).containsExactly("RETRY_QUEUED");
    assertThat(String.valueOf(box.instance(task).context().get("error")))
        .startsWith("zombie: worker 'w-1' has been silent for 301 s");
    assertThat(sweeper().sweep(false).isClean()).isTrue();
  }

  @Test
  void an_instance_that_is_too_long_in_a_state_is_sent_on() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "busy", Map.of());
    plant("update instance set since = since - 3600000 where id = ?", id);
    FeedEntry entry = correctedOnce("stuck", id);
    assertThat(entry.eventName()).isEqualTo("stuck");
    assertThat(box.instance(id).leaves()).containsExactly("DARK");
  }

  @Test
  void only_the_sweep_may_correct() {
    String id = start("lamp", "l-1", Map.of());
    assertThat(box.submit(new Command.Correct(id, "because", Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.submit(new Command.GiveUp(id, "bell", "because", Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.submit(new Command.Correct("nobody", "because", Sweeper.ACTOR, null)))
        .isInstanceOf(Reply.Rejected.class);
  }

  @Test
  void a_healthy_store_gives_no_finding() {
    int instances = Integer.getInteger("sweep.instances", 2_000);
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int i = 0; i < instances; i++) {
      String id = "l-" + i;
      replies.add(box.submitAsync(new Command.Start("lamp", id, Map.of(), Actor.SYSTEM, null)));
      String event = List.of("light", "call", "busy", "end", "").get(i % 5);
      if (!event.isEmpty()) {
        replies.add(box.submitAsync(Command.Send.of(id, event, null)));
      }
      if (i % 1_000 == 999) {
        replies.forEach(CompletableFuture::join);
        replies.clear();
      }
    }
    replies.forEach(reply -> assertThat(reply.join()).isInstanceOf(Reply.Accepted.class));
    clock.advance(Duration.ofMinutes(5));
    long began = System.nanoTime();
    SweepReport report = sweeper().sweep(false);
    System.out.printf(
        "%,d instances swept in %,d ms%n", instances, (System.nanoTime() - began) / 1_000_000);
    assertThat(report.outcomes()).isEmpty();
    assertThat(report.scanned()).isEqualTo(instances);
    assertThat(report.replayed()).isEqualTo(instances - instances / 5);
  }

  @Test
  void continuous_sweeps_go_on_until_they_are_closed() throws Exception {
    CompletableFuture<SweepReport> second = new CompletableFuture<>();
    AtomicInteger count = new AtomicInteger();
    try (Sweeper sweeper = sweeper()) {
      sweeper.start(
          Duration.ofMillis(1),
          report -> {
            if (count.incrementAndGet() == 2) {
              second.complete(report);
            }
          });
      assertThat(second.get(10, java.util.concurrent.TimeUnit.SECONDS).isClean()).isTrue();
    }
  }
}
