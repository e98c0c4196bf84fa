package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.runtime.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FolderTurnsTest {
  private final FolderTurns turns = new FolderTurns();

  @Test
  void one_run_is_worked_on_by_one_at_a_time_and_forgotten_after_the_last() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    List<Future<Outcome>> all = new ArrayList<>();
    try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 1_000; i++) {
        String run = "RUN-" + i % 2;
        AtomicInteger mine = run.endsWith("0") ? inside : new AtomicInteger();
        all.add(
            workers.submit(() ->
                turns.alone(
                    run,
                    () -> {
                      assertThat(mine.incrementAndGet()).isEqualTo(1);
                      mine.decrementAndGet();
                      return Outcome.succeeded();
                    })));
      }
      for (Future<Outcome> each : all) {
        each.get(1, TimeUnit.MINUTES);
      }
    }
    assertThat(turns.size()).isZero();
  }

  @Test
  void work_that_fails_gives_its_turn_back() {
    assertThatThrownBy(() ->
            turns.alone(
                "RUN-1",
                () -> {
                  assertThat(turns.size()).isEqualTo(1);
                  throw new IOException("no");
                }))
        .hasMessage("no");
    assertThat(turns.size()).isZero();
  }
}
