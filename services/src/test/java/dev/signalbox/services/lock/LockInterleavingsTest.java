package dev.signalbox.services.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the order, nobody holds a lock beside another, and the queue is fair. */
class LockInterleavingsTest {
  private static final String NAME = "repo";

  static List<Long> seeds() {
    int many = Integer.getInteger("interleavings", 40);
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= many; seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_lock_has_one_holder_and_who_asked_first_goes_first(long seed) throws Exception {
    Random random = new Random(seed);
    ManualClock clock = new ManualClock();
    MemoryJournal journal = new MemoryJournal(clock, true);
    ManualSignalbox[] boxes = new ManualSignalbox[2];
    Locks[] locks = new Locks[2];
    for (int i = 0; i < 2; i++) {
      boxes[i] = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(seed + i));
      locks[i] = Locks.stepped(boxes[i]);
    }
    List<Locked.Held> held = new ArrayList<>();
    for (int step = 0; step < 400; step++) {
      int n = random.nextInt(2);
      String holder = "h" + random.nextInt(6);
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> {
          Duration limit = Duration.ofSeconds(1 + random.nextInt(100));
          Duration patience = Duration.ofSeconds(random.nextInt(60));
          var _ =
              locks[n]
                  .lock(NAME, holder, limit, patience)
                  .thenAccept(answer -> {
                    if (answer instanceof Locked.Held got) {
                      held.add(got);
                    }
                  });
        }
        case 3 -> {
          // Asked, and then gone.
          var _ = locks[n].ask(NAME, holder, null);
        }
        case 4, 5 -> {
          if (!held.isEmpty()) {
            int old = random.nextInt(3) == 0 ? random.nextInt(held.size()) : held.size() - 1;
            var _ = locks[n].release(NAME, held.get(old).token(), null);
          }
        }
        case 6 -> {
          var _ = locks[n].leave(NAME, holder);
        }
        case 7 -> clock.advance(Duration.ofMillis(random.nextInt(20_000)));
        case 8 -> locks[n].tick();
        case 9 -> {
          boxes[n].step();
        }
        case 10 -> {
          if (boxes[n].toAppend() > 0) {
            boolean _ = boxes[n].commit(random.nextInt(boxes[n].toAppend()));
          }
          boxes[n].poll();
        }
        default -> {
          if (random.nextInt(10) == 0) {
            boxes[n] =
                new ManualSignalbox(
                    journal, Settings.DEFAULT, clock, new Random(random.nextLong()));
            locks[n] = Locks.stepped(boxes[n]);
          } else {
            boxes[n].rest();
          }
        }
      }
    }
    boxes[0].rest();
    LockJudge.judge(boxes[0], NAME);
    assertThat(held).extracting(Locked.Held::token).doesNotHaveDuplicates();
  }

  @Test
  void threads_on_a_file_never_hold_it_together(@TempDir Path folder) throws Exception {
    int threads = 8;
    int rounds = 25;
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ConcurrentLinkedQueue<Long> tokens = new ConcurrentLinkedQueue<>();
    ConcurrentLinkedQueue<Locked> others = new ConcurrentLinkedQueue<>();
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("locks.db"));
        Locks locks = Locks.open(box)) {
      List<Thread> all = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        String holder = "t" + t;
        all.add(
            Thread.ofVirtual()
                .start(() -> {
                  for (int i = 0; i < rounds; i++) {
                    Locked locked = locks.lock(NAME, holder, null, Duration.ofMinutes(2)).join();
                    if (locked instanceof Locked.Held held) {
                      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                      tokens.add(held.token());
                      inside.decrementAndGet();
                      Reply reply = locks.release(NAME, held.token(), null).join();
                      assertThat(reply).isInstanceOf(Reply.Accepted.class);
                    } else {
                      others.add(locked);
                    }
                  }
                }));
      }
      for (Thread thread : all) {
        thread.join();
      }
    }
    assertThat(others).isEmpty();
    assertThat(most).hasValue(1);
    assertThat(List.copyOf(tokens)).hasSize(threads * rounds).isSorted().doesNotHaveDuplicates();
  }
}
