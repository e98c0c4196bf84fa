package dev.signalbox.services.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.Callers;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sixty-four callers of one lock on real stores, who ask, wait, vanish, release with whatever token
 * they know of and leave, each in an order of its own, while time passes: nobody has it beside
 * another.
 */
class LockRacesTest {
  private static final String NAME = "repo";
  private static final int MOVES = Integer.getInteger("locks.moves", 3);

  private final ManualClock clock = new ManualClock();
  private final List<Locked.Held> held = new CopyOnWriteArrayList<>();
  private final AtomicInteger released = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();

  @Test
  void a_lock_has_one_holder_on_sqlite(@TempDir Path folder) throws Exception {
    Callers.onSqlite(folder, clock, this::race);
  }

  @Test
  void a_lock_has_one_holder_on_two_nodes_of_postgresql() throws Exception {
    Callers.onTwoNodesOfPostgres(clock, this::race);
  }

  private void race(List<Signalbox> nodes) throws Exception {
    List<Locks> all = nodes.stream().map(Locks::open).toList();
    CountDownLatch done = new CountDownLatch(1);
    try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> time = thread.submit(() -> passTime(all, done));
      try {
        Callers.race(all, MOVES, this::move);
      } finally {
        done.countDown();
        time.get();
      }
    }
    all.forEach(Locks::close);
    LockJudge.judge(nodes.getLast(), NAME);
    assertThat(held).extracting(Locked.Held::token).doesNotHaveDuplicates();
    assertThat(held.size()).as("times it was taken").isGreaterThan(Callers.MANY / 2);
    assertThat(released).as("releases that counted").hasPositiveValue();
    assertThat(refused).as("releases with a token that was over").hasPositiveValue();
    assertThat(Audit.verify(nodes.getFirst().journal(), _ -> {}).findings()).isEmpty();
  }

  /** A hundred times as fast as it really does; those who wait look as often as it moves. */
  private @Nullable Void passTime(List<Locks> all, CountDownLatch done)
      throws InterruptedException {
    while (!done.await(2, TimeUnit.MILLISECONDS)) {
      clock.advance(Duration.ofMillis(200));
      all.forEach(Locks::tick);
    }
    return null;
  }

  private void move(Locks locks, String holder, Random random) {
    switch (random.nextInt(8)) {
      case 0 -> taken(locks.ask(NAME, holder, Duration.ofSeconds(5)).join());
      case 1 -> locks.leave(NAME, holder).join();
      default -> {
        Duration limit = Duration.ofSeconds(1 + random.nextInt(10));
        Duration patience = Duration.ofSeconds(random.nextInt(600));
        Locked answer = locks.lock(NAME, holder, limit, patience).join();
        taken(answer);
        if (random.nextInt(3) == 0 && !held.isEmpty()) {
          release(locks, held.get(random.nextInt(held.size())).token());
        }
        if (answer instanceof Locked.Held mine && random.nextInt(4) > 0) {
          release(locks, mine.token());
        }
      }
    }
  }

  private void release(Locks locks, long token) {
    Reply reply = locks.release(NAME, token, null).join();
    (reply instanceof Reply.Accepted ? released : refused).incrementAndGet();
  }

  private void taken(Locked answer) {
    if (answer instanceof Locked.Held got) {
      held.add(got);
    }
  }
}
