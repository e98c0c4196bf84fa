package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import dev.signalbox.runtime.Watch;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Following what two real nodes commit to one PostgreSQL. */
class SharedFeedTest {
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
                  on: { more: { assign: { n: ctx.n + 1 } } }
              """));

  @Test
  void following_two_nodes_of_one_database_by_their_hints_skips_nothing() throws Exception {
    int each = 300;
    String url = FlushingPostgres.shared().database("feed");
    try (Signalbox one = Signalbox.open(url);
        Signalbox two = Signalbox.open(url);
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      one.publish(COUNTER);
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        ids.add(one.start("counter", Map.of()).id());
      }
      List<FeedEntry> seen = new ArrayList<>();
      Semaphore news = new Semaphore(1);
      List<Future<Reply>> replies = new ArrayList<>();
      try (Watch _ = one.feed().onCommit(news::release);
          Watch _ = two.feed().onCommit(news::release)) {
        for (int i = 0; i < each; i++) {
          String id = ids.get(i % ids.size());
          replies.add(callers.submit(() -> one.send(id, "more")));
          replies.add(callers.submit(() -> two.send(id, "more")));
        }
        int wanted = ids.size() + 2 * each;
        while (seen.size() < wanted) {
          // A hint may come before the other node's transaction has ended; then time helps.
          boolean _ = news.tryAcquire(20, TimeUnit.MILLISECONDS);
          news.drainPermits();
          long after = seen.isEmpty() ? 0 : seen.getLast().position();
          seen.addAll(two.feed().read(after, 50));
        }
      }
      for (Future<Reply> reply : replies) {
        assertThat(reply.get()).isInstanceOf(Reply.Accepted.class);
      }
      Map<String, Long> last = new HashMap<>();
      for (FeedEntry entry : seen) {
        assertThat(entry.sequence()).isEqualTo(last.getOrDefault(entry.instance(), 0L) + 1);
        last.put(entry.instance(), entry.sequence());
      }
      assertThat(last.values()).containsOnly(1L + 2 * each / ids.size());
      assertThat(one.feed().read(seen.getLast().position(), 10)).isEmpty();
    }
  }

  @Test
  void a_store_is_not_called_broken_because_a_transaction_runs_that_hides_its_newest_entries()
      throws Exception {
    String url = FlushingPostgres.shared().database("hidden");
    try (Signalbox box = Signalbox.open(url);
        Connection slow = DriverManager.getConnection(url);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      box.publish(COUNTER);
      String id = box.start("counter", Map.of()).id();
      slow.setAutoCommit(false);
      try (Statement statement = slow.createStatement()) {
        statement.execute("select pg_current_xact_id()");
      }
      assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
      AtomicInteger looks = new AtomicInteger();
      Semaphore looked = new Semaphore(0);
      Future<Verification> verified =
          threads.submit(() ->
              Audit.verify(
                  box.journal(),
                  _ -> {
                    if (looks.incrementAndGet() == 10) {
                      looked.release();
                    }
                  }));
      // It has looked again and again by now, and would have given up before.
      assertThat(looked.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
      slow.rollback();
      assertThat(verified.get(60, TimeUnit.SECONDS).findings()).isEmpty();
    }
  }
}
