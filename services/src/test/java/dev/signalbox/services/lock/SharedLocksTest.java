package dev.signalbox.services.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.SharedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** One lock, asked for on two nodes of a real PostgreSQL at once. */
class SharedLocksTest {
  private static final int HOLDERS = 4;
  private static final int TURNS = Integer.getInteger("locks.turns", 5);

  @Test
  void nobody_has_it_beside_another_and_tokens_only_grow() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
    String url = SharedPostgres.flushingDatabase();
    try (Signalbox one = Signalbox.open(url);
        Signalbox two = Signalbox.open(url);
        Locks here = Locks.open(one);
        Locks there = Locks.open(two);
        ExecutorService holders = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < HOLDERS; i++) {
        String holder = "h" + i;
        Locks locks = i % 2 == 0 ? here : there;
        all.add(holders.submit(() -> takeTurns(locks, holder, inside, tokens)));
      }
      for (Future<?> holder : all) {
        holder.get(2, TimeUnit.MINUTES);
      }
    }
    assertThat(List.copyOf(tokens)).hasSize(HOLDERS * TURNS).doesNotHaveDuplicates().isSorted();
  }

  private static void takeTurns(
      Locks locks, String holder, AtomicInteger inside, ConcurrentLinkedQueue<Long> tokens) {
    for (int turn = 0; turn < TURNS; ) {
      Locked answer = locks.lock("door", holder, null, Duration.ofMinutes(1)).join();
      if (answer instanceof Locked.Held held) {
        assertThat(inside.incrementAndGet()).isEqualTo(1);
        tokens.add(held.token());
        inside.decrementAndGet();
        assertThat(locks.release("door", held.token(), null).join())
            .isInstanceOf(Reply.Accepted.class);
        turn++;
      }
    }
  }
}
