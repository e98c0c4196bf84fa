package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Two nodes that write one instance on a real PostgreSQL all get their turns. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("NullAway.Init")
class HotInstanceTest {
  private static final int CALLERS = 4;

  /** A command loses three races at most before it gets a turn. */
  private static final Settings FEW_RACES =
      new Settings(
          8_192,
          1_024,
          256 * 1024,
          32 << 20,
          10_000,
          4,
          Duration.ofSeconds(60),
          10,
          Duration.ofSeconds(1),
          64);

  private final ExecutorService callers = Executors.newFixedThreadPool(2 * CALLERS);
  private Signalbox one;
  private Signalbox two;

  @BeforeEach
  void two_nodes(TestInfo test) throws Exception {
    String url =
        FlushingPostgres.shared()
            .database("hot_" + Integer.toHexString(test.getDisplayName().hashCode()));
    one = open(url);
    two = open(url);
    one.publish(
        MachineReader.read(
            new Source(
                "hot.yaml",
                """
                machine: hot
                context: { n: { type: int, default: 0 }, done: { type: int, default: 0 } }
                states:
                  ON:
                    waits: for anyone
                    on:
                      hit: { assign: { n: ctx.n + 1 } }
                      ask: { do: [ { perform: { effect: work } } ] }
                      work.succeeded: { assign: { done: ctx.done + 1 } }
                      work.failed: {}
                      work.unknown: {}
                """)));
    accepted(one.submit(new Command.Start("hot", "h", Map.of(), Actor.SYSTEM, null)));
  }

  @AfterEach
  void they_close() {
    callers.shutdownNow();
    one.close();
    two.close();
  }

  private static Signalbox open(String url) {
    return Signalbox.open(
        PostgresJournal.open(url, null, null), FEW_RACES, InstantSource.system(), null);
  }

  private static void accepted(Reply reply) {
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
  }

  private static Reply hit(Signalbox node) {
    return node.submit(Command.Send.of("h", "hit", null));
  }

  @Test
  void nobody_is_answered_busy_and_nothing_is_lost() throws Exception {
    int each = 150;
    List<Future<List<Reply>>> all = new ArrayList<>();
    for (int i = 0; i < 2 * CALLERS; i++) {
      Signalbox node = i % 2 == 0 ? one : two;
      all.add(
          callers.submit(() -> {
            List<Reply> replies = new ArrayList<>();
            for (int k = 0; k < each; k++) {
              replies.add(hit(node));
            }
            return replies;
          }));
    }
    for (Future<List<Reply>> replies : all) {
      assertThat(replies.get()).allSatisfy(HotInstanceTest::accepted);
    }
    long total = 2L * CALLERS * each;
    assertThat(one.instance("h").context()).containsEntry("n", total);
    assertThat(one.instance("h").sequence()).isEqualTo(total + 1);
  }

  @Test
  void a_lone_caller_gets_on_beside_a_flood_from_another_node() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger flood = new AtomicInteger();
    List<Future<?>> flooding = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      flooding.add(
          callers.submit(() -> {
            while (!over.get()) {
              accepted(hit(one));
              flood.incrementAndGet();
            }
          }));
    }
    int alone = 0;
    try {
      for (; alone < 100 || flood.get() <= 100; alone++) {
        assertThat(alone).as("while the flood stood at %s", flood).isLessThan(10_000);
        accepted(hit(two));
      }
    } finally {
      over.set(true);
    }
    for (Future<?> each : flooding) {
      assertThat(each.get()).isNull();
    }
    assertThat(one.instance("h").context()).containsEntry("n", (long) alone + flood.get());
  }

  @Test
  void results_of_effects_come_through_a_flood() throws Exception {
    for (Signalbox node : List.of(one, two)) {
      node.handle("work", _ -> new Outcome.Succeeded(null));
    }
    int works = 60;
    List<CompletableFuture<Reply>> sent = new ArrayList<>();
    for (int i = 0; i < works; i++) {
      sent.add((i % 2 == 0 ? one : two).submitAsync(Command.Send.of("h", "ask", null)));
      sent.add((i % 2 == 0 ? two : one).submitAsync(Command.Send.of("h", "hit", null)));
    }
    sent.forEach(each -> accepted(each.join()));
    LongWork.eventually(() -> Long.valueOf(works).equals(two.instance("h").context().get("done")));
  }
}
