package dev.signalbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Following everything that is committed. */
class FeedTest {
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
                    more:
                      assign: { n: ctx.n + 1 }
                      emit: { record: counted, data: { n: ctx.n } }
                    off: OFF
                OFF: { final: true }
              """));

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"));
  }

  private static List<FeedEntry> all(Feed feed) {
    List<FeedEntry> all = new ArrayList<>();
    long after = 0;
    for (List<FeedEntry> page = feed.read(after, 3); !page.isEmpty(); page = feed.read(after, 3)) {
      all.addAll(page);
      after = page.getLast().position();
    }
    return all;
  }

  @Test
  void an_entry_tells_whose_it_is_and_what_happened() {
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      assertThat(box.feed().end()).isZero();
      String id = box.start("counter", Map.of()).id();
      box.send(id, "more");
      box.send(id, "nonsense");
      box.send(id, "off");
      List<FeedEntry> all = all(box.feed());
      assertThat(all).extracting(FeedEntry::instance).containsOnly(id);
      assertThat(all).extracting(FeedEntry::machine).containsOnly("counter");
      assertThat(all)
          .extracting(FeedEntry::kind)
          .containsExactly("start", "event", "refusal", "event");
      assertThat(all).extracting(FeedEntry::sequence).containsExactly(1L, 2L, 1L, 3L);
      FeedEntry more = all.get(1);
      assertThat(more.eventName()).isEqualTo("more");
      assertThat(more.states()).containsExactly("ON");
      assertThat(more.records()).containsExactly(new FeedEntry.Emitted("counted", Map.of("n", 1L)));
      assertThat(all.get(2).isRefusal()).isTrue();
      assertThat(all.get(2).code()).isEqualTo("no-transition");
      assertThat(all.get(3).isEnd()).isTrue();
      assertThat(box.feed().end()).isEqualTo(all.getLast().position());
      assertThat(box.feed().read(box.feed().end(), 10)).isEmpty();
      assertThatThrownBy(() -> box.feed().read(0, 0)).hasMessageContaining("1 to 10,000");
    }
  }

  @Test
  void what_was_read_before_a_restart_is_not_read_again() {
    long read;
    String id;
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      id = box.start("counter", Map.of()).id();
      read = box.feed().end();
    }
    try (Signalbox box = open()) {
      box.send(id, "more");
      assertThat(box.feed().read(read, 10))
          .extracting(FeedEntry::eventName)
          .containsExactly("more");
    }
  }

  @Test
  void a_hint_that_hangs_or_fails_stops_neither_the_engine_nor_other_hints() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Semaphore told = new Semaphore(0);
    AtomicInteger failed = new AtomicInteger();
    try (Signalbox box = open()) {
      box.publish(COUNTER);
      box.feed()
          .onCommit(() -> {
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      box.feed()
          .onCommit(() -> {
            failed.incrementAndGet();
            throw new IllegalStateException("a hint that fails");
          });
      Watch watch = box.feed().onCommit(told::release);
      String id = box.start("counter", Map.of()).id();
      assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      for (int i = 0; i < 100; i++) {
        box.send(id, "more");
      }
      assertThat(told.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      watch.close();
      assertThat(failed.get()).isBetween(1, 101);
    } finally {
      never.countDown();
    }
  }
}
