package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runtime with its threads, on a real SQLite file. */
class SignalboxTest {
  @TempDir Path folder;

  private static final Machine COUNTER =
      MachineReader.read(
          new Source(
              "counter.yaml",
              """
              machine: counter
              context:
                n: { type: int, default: 0 }
              states:
                ON:
                  waits: for more
                  on:
                    more: { assign: { n: ctx.n + 1 }, when: ctx.n < 1000 }
                    ring: { do: [ { perform: { effect: bell, idempotent: true } } ] }
                    bell.succeeded: { assign: { n: ctx.n + 100 } }
                    bell.failed: { }
                    off: OFF
                OFF: { final: true }
              """));

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
  }

  @Test
  void the_first_program_works() {
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      Instance instance = box.start("counter", Map.of());
      String said =
          switch (box.send(instance.id(), "more")) {
            case Reply.Accepted(Receipt receipt) -> receipt.states().toString();
            case Reply.Rejected(var rejection) -> rejection.message();
          };
      assertThat(said).isEqualTo("[ON]");
      assertThat(box.instance(instance.id()).context()).containsEntry("n", 1L);
      assertThat(box.instance(instance.id()).awaited()).contains("more", "off");
    }
  }

  @Test
  void many_callers_share_commits_and_lose_nothing() throws Exception {
    List<String> ids = new ArrayList<>();
    try (Signalbox box = open();
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      box.publish(COUNTER);
      for (int i = 0; i < 20; i++) {
        ids.add(box.start("counter", Map.of()).id());
      }
      List<Future<Reply>> replies = new ArrayList<>();
      for (int i = 0; i < 4_000; i++) {
        String id = ids.get(i % ids.size());
        replies.add(callers.submit(() -> box.send(id, "more")));
      }
      for (Future<Reply> reply : replies) {
        assertThat(reply.get()).isInstanceOf(Reply.Accepted.class);
      }
      List<CommittedGroup> groups = box.journal().groups(0, 100_000);
      assertThat(groups.size()).isLessThan(2_000);
    }
    try (Signalbox box = open()) {
      for (String id : ids) {
        assertThat(box.instance(id).context()).containsEntry("n", 200L);
        assertThat(box.history(id, 1, 1_000)).hasSize(201);
      }
    }
  }

  @Test
  void a_store_is_caught_up_when_what_fell_due_while_it_was_closed_has_happened() throws Exception {
    Machine egg =
        MachineReader.read(
            new Source(
                "egg.yaml",
                """
                machine: egg
                states:
                  COOKING: { after: { 5m: DONE } }
                  DONE: { final: true }
                """));
    ManualClock clock = new ManualClock();
    String url = "jdbc:sqlite:" + folder.resolve("eggs.db");
    List<CompletableFuture<Reply>> started = new ArrayList<>();
    try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, clock)) {
      box.publish(egg);
      for (int i = 0; i < 3_000; i++) {
        started.add(
            box.submitAsync(new Command.Start("egg", "e-" + i, Map.of(), Actor.SYSTEM, null)));
      }
      CompletableFuture.allOf(started.toArray(CompletableFuture[]::new)).join();
    }
    clock.advance(Duration.ofHours(1));
    try (Signalbox box = Signalbox.open(url, Settings.DEFAULT, clock)) {
      long began = System.nanoTime();
      while (!box.isCaughtUp() && System.nanoTime() - began < 60_000_000_000L) {
        Thread.onSpinWait();
      }
      assertThat(box.isCaughtUp()).isTrue();
      assertThat(box.instances(Query.ALL.in("COOKING"))).isEmpty();
    }
  }

  @Test
  void commands_that_leave_nothing_behind_do_not_stop_the_others() {
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      String id = box.start("counter", Map.of()).id();
      for (int i = 0; i < 3_000; i++) {
        assertThat(box.send("nobody", "more")).isInstanceOf(Reply.Rejected.class);
      }
      assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
    }
  }

  @Test
  void effects_run_and_report() throws Exception {
    AtomicInteger rung = new AtomicInteger();
    CompletableFuture<Boolean> heard = new CompletableFuture<>();
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      box.handle(
          "bell",
          call -> {
            rung.incrementAndGet();
            heard.complete(true);
            return Outcome.succeeded();
          });
      String id = box.start("counter", Map.of()).id();
      box.send(id, "ring");
      assertThat(heard.get()).isTrue();
      // Closing finishes what was taken on.
    }
    assertThat(rung).hasValue(1);
    try (Signalbox box = open()) {
      assertThat(box.instances(dev.signalbox.journal.Query.ALL).getFirst().context())
          .containsEntry("n", 100L);
    }
  }

  @Test
  void a_refusal_is_durable_when_it_is_answered() {
    String id;
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      id = box.start("counter", Map.of()).id();
      assertThat(box.send(id, "nonsense")).isInstanceOf(Reply.Rejected.class);
      assertThat(box.refusals(id, 1, 10)).hasSize(1);
      assertThat(box.refusals(id, 1, 10).getFirst().chain()).isEqualTo(Chain.REFUSALS);
    }
  }
}
