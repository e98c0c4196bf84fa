package dev.signalbox.testkit;

import static dev.signalbox.testkit.LongWork.eventually;
import static dev.signalbox.testkit.LongWork.only;
import static dev.signalbox.testkit.LongWork.refusals;
import static dev.signalbox.testkit.LongWork.start;
import static dev.signalbox.testkit.LongWork.states;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Effects that take longer than a lease, with the runtime's threads on a clock that is moved. */
class LongEffectsTest {
  private static final Duration LEASE = Settings.DEFAULT.lease();

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();

  private Signalbox open() {
    return open(Settings.DEFAULT);
  }

  private Signalbox open(Settings settings) {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), settings, clock);
  }

  @Test
  void the_lease_is_renewed_as_long_as_the_handler_runs() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      box.handle("dig", work);
      String id = start(box, "dig");
      work.awaitBegun();
      long fence = only(box).fence();
      for (int i = 0; i < 12; i++) {
        clock.advance(LEASE.dividedBy(3));
        eventually(() -> only(box).due() >= clock.millis() + LEASE.toMillis());
      }
      assertThat(only(box).fence()).isEqualTo(fence);
      work.go.countDown();
      eventually(() -> states(box, id).equals(List.of("DUG")));
      assertThat(refusals(box, id)).isEmpty();
    }
    assertThat(work.begun).isEmpty();
  }

  @Test
  void a_handler_whose_process_stood_still_for_longer_than_the_lease_goes_on() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      box.handle("dig", work);
      String id = start(box, "dig");
      work.awaitBegun();
      clock.advance(LEASE.multipliedBy(10));
      eventually(() -> only(box).due() >= clock.millis() + LEASE.toMillis());
      work.go.countDown();
      eventually(() -> states(box, id).equals(List.of("DUG")));
    }
    assertThat(work.begun).isEmpty();
  }

  @Test
  void a_handler_whose_effect_is_another_s_is_interrupted_and_its_result_refused()
      throws Exception {
    ManualClock own = new ManualClock();
    Journal journal = new MemoryJournal(clock, true);
    LongWork work = new LongWork(true);
    try (Signalbox box = Signalbox.open(journal, Settings.DEFAULT, own)) {
      box.publish(LongWork.machine(true));
      box.handle("dig", work);
      String id = start(box, "fill");
      work.awaitBegun();
      // The others' clock goes on while this process stands still, and one of them is first.
      eventually(() -> {
        clock.advance(LEASE);
        return !journal.claim("other", List.of("dig"), 60_000, 1).isEmpty();
      });
      own.advance(LEASE);
      assertThat(work.awaitStopped().key()).isEqualTo(id + "#1");
      eventually(() -> !refusals(box, id).isEmpty());
      assertThat(refusals(box, id)).singleElement().asString().contains("late-result");
      assertThat(states(box, id)).containsExactly("FILLING");
      assertThat(only(box).owner()).isEqualTo("other");
    }
  }

  @Test
  void a_handler_is_interrupted_when_the_state_is_left_and_its_result_is_refused()
      throws Exception {
    LongWork work = new LongWork(true);
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      box.handle("dig", work);
      String id = start(box, "dig");
      work.awaitBegun();
      box.send(id, "halt");
      work.awaitStopped();
      eventually(() -> !refusals(box, id).isEmpty());
      assertThat(refusals(box, id)).singleElement().asString().contains("late-result");
      assertThat(states(box, id)).containsExactly("IDLE");
      assertThat(box.journal().effects(0, 10)).isEmpty();
    }
  }

  @Test
  void a_handler_is_interrupted_when_the_instance_ends_or_is_cancelled() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      box.handle("dig", work);
      String ended = start(box, "dig");
      String cancelled = start(box, "dig");
      work.awaitBegun();
      work.awaitBegun();
      box.send(ended, "end");
      assertThat(work.awaitStopped().instance()).isEqualTo(ended);
      box.submit(new Command.Cancel(cancelled, Actor.SYSTEM, null, null));
      assertThat(work.awaitStopped().instance()).isEqualTo(cancelled);
      eventually(() -> refusals(box, ended).size() + refusals(box, cancelled).size() == 2);
      assertThat(box.journal().effects(0, 10)).isEmpty();
    }
  }

  @Test
  void entering_the_state_anew_ends_the_effect_of_the_last_time() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(true));
      box.handle("dig", work);
      String id = start(box, "dig");
      String first = work.awaitBegun().key();
      box.send(id, "again");
      assertThat(work.awaitStopped().key()).isEqualTo(first);
      String second = work.awaitBegun().key();
      assertThat(second).isNotEqualTo(first);
      work.go.countDown();
      eventually(() -> states(box, id).equals(List.of("DUG")));
    }
  }

  @Test
  void an_effect_whose_state_was_left_before_anybody_began_is_not_begun() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(true));
      String left = start(box, "dig");
      box.send(left, "halt");
      String kept = start(box, "fill");
      box.send(kept, "halt");
      box.handle("dig", work);
      assertThat(work.awaitBegun().instance()).isEqualTo(kept);
      work.go.countDown();
      eventually(() -> states(box, kept).equals(List.of("DUG")));
    }
    assertThat(work.begun).isEmpty();
  }

  @Test
  void an_effect_without_a_state_is_done_wherever_the_instance_goes() throws Exception {
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      box.handle("dig", work);
      String id = start(box, "fill");
      work.awaitBegun();
      box.send(id, "halt");
      work.go.countDown();
      eventually(() -> states(box, id).equals(List.of("DUG")));
    }
    assertThat(work.stopped).isEmpty();
  }

  @Test
  void what_a_dead_owner_of_the_file_left_is_taken_up_at_once() throws Exception {
    String repeated;
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(true));
      repeated = start(box, "dig");
    }
    die();
    LongWork work = new LongWork();
    work.go.countDown();
    try (Signalbox box = open()) {
      box.handle("dig", work);
      eventually(() -> states(box, repeated).equals(List.of("DUG")));
    }
    assertThat(work.begun).singleElement().satisfies(c -> assertThat(c.attempt()).isEqualTo(2));
  }

  @Test
  void what_a_dead_owner_of_the_file_left_and_must_not_be_repeated_is_unknown_at_once()
      throws Exception {
    String id;
    try (Signalbox box = open()) {
      box.publish(LongWork.machine(false));
      id = start(box, "dig");
    }
    die();
    LongWork work = new LongWork();
    try (Signalbox box = open()) {
      box.handle("dig", work);
      eventually(() -> states(box, id).equals(List.of("UNCLEAR")));
    }
    assertThat(work.begun).isEmpty();
  }

  /** Takes the effect and ends without a word; the clock stands still. */
  private void die() {
    try (Journal journal = SqliteJournal.open(folder.resolve("box.db"), clock)) {
      LongWork.begunByTheDead(journal, "dig");
    }
  }

  @Test
  void closing_tells_handlers_to_stop_and_the_next_owner_repeats_what_may_be() throws Exception {
    String id;
    LongWork work = new LongWork();
    try (Signalbox box = open(LongWork.lease(Duration.ofMillis(300)))) {
      box.publish(LongWork.machine(true));
      box.handle("dig", work);
      id = start(box, "dig");
      work.awaitBegun();
    }
    assertThat(work.stopped).hasSize(1);
    work.go.countDown();
    clock.advance(Duration.ofSeconds(1));
    try (Signalbox box = open()) {
      box.handle("dig", work);
      eventually(() -> states(box, id).equals(List.of("DUG")));
    }
  }
}
