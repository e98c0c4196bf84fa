package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the store does, a close comes to an end, and the next one who opens it goes on. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LastCloseTest {
  @TempDir Path folder;

  /** A store of a real file that fails from some moment on. */
  private static final class Failing extends ForwardingJournal {
    volatile boolean appendsFail;
    volatile boolean readsFail;
    volatile boolean headsFail;
    final CountDownLatch failed = new CountDownLatch(1);

    Failing(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      if (appendsFail) {
        failed.countDown();
        throw new JournalException("Expected to append, but the disk is full.", null);
      }
      return super.append(group);
    }

    @Override
    public @Nullable InstanceRow load(String id) {
      mayFail();
      return super.load(id);
    }

    @Override
    public @Nullable InstanceRow load(long number) {
      mayFail();
      return super.load(number);
    }

    @Override
    public List<MessageRow> messages(long after, int most) {
      mayFail();
      return super.messages(after, most);
    }

    @Override
    public List<MessageRow> deliverable(long after, int most) {
      mayFail();
      return super.deliverable(after, most);
    }

    @Override
    public List<GroupHead> heads() {
      if (headsFail) {
        throw new IllegalStateException("Expected to read, but met a fault.");
      }
      return super.heads();
    }

    private void mayFail() {
      if (readsFail) {
        failed.countDown();
        throw new JournalException("Expected to read, but the disk is gone.", null);
      }
    }
  }

  private Failing store(InstantSource clock) {
    return new Failing(SqliteJournal.open(folder.resolve("s.db"), clock));
  }

  private static Signalbox open(Failing store, InstantSource clock) {
    Signalbox box = Signalbox.open(store, Settings.DEFAULT, clock, Keyring.ofThisProcess());
    box.publish(
        MachineReader.read(
            new Source(
                "job.yaml",
                """
                machine: job
                states:
                  IDLE:
                    waits: for someone
                    on:
                      go: WORKING
                      call: { do: [ { send: { event: go, to: { instance: "'b'" } } } ] }
                  WORKING:
                    entry: [ { perform: { effect: work } } ]
                    waits: for the work
                    on: { work.succeeded: DONE, work.failed: DONE, work.unknown: UNKNOWN }
                  DONE: { final: true }
                  UNKNOWN: { final: true }
                """)));
    return box;
  }

  private static void start(Signalbox box, String id) {
    assertThat(box.submit(new Command.Start("job", id, Map.of(), Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
  }

  private void the_next_one_finds_everything_in_order() {
    try (Journal journal = SqliteJournal.open(folder.resolve("s.db"), InstantSource.system())) {
      assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void a_fault_while_it_closes_leaves_the_store_closed() {
    Failing store = store(InstantSource.system());
    Signalbox box = open(store, InstantSource.system());
    assertThat(box.submit(new Command.Start("job", "a", Map.of(), Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
    store.headsFail = true;
    assertThatThrownBy(box::close).hasMessageContaining("met a fault");
    try (Signalbox again = open(store(InstantSource.system()), InstantSource.system())) {
      assertThat(again.instance("a").leaf()).isEqualTo("IDLE");
    }
  }

  @Test
  void a_close_returns_while_appends_fail_and_a_result_waits() throws Exception {
    Failing store = store(InstantSource.system());
    Signalbox box = open(store, InstantSource.system());
    CountDownLatch working = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    box.handle(
        "work",
        _ -> {
          working.countDown();
          goOn.await();
          return new Outcome.Succeeded(null);
        });
    start(box, "a");
    assertThat(box.send("a", "go")).isInstanceOf(Reply.Accepted.class);
    working.await();
    store.appendsFail = true;
    goOn.countDown();
    assertThat(store.failed.await(30, TimeUnit.SECONDS)).isTrue();
    box.close();
    the_next_one_finds_everything_in_order();
  }

  @Test
  void a_close_returns_on_a_clock_that_stands_still() throws Exception {
    ManualClock clock = new ManualClock();
    Failing store = store(clock);
    Signalbox box = open(store, clock);
    start(box, "a");
    start(box, "b");
    store.appendsFail = true;
    CompletableFuture<Reply> first = box.submitAsync(Command.Send.of("a", "call", null));
    assertThat(store.failed.await(30, TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Reply> second = box.submitAsync(Command.Send.of("a", "call", null));
    box.close();
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isCompletedExceptionally();
    the_next_one_finds_everything_in_order();
  }

  @Test
  void a_close_returns_while_reads_fail_and_mail_waits() throws Exception {
    Failing store = store(InstantSource.system());
    Signalbox box = open(store, InstantSource.system());
    start(box, "a");
    start(box, "b");
    assertThat(box.submit(new Command.Pause("b", Command.Clocks.STOPPED, Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Accepted.class);
    assertThat(box.send("a", "call")).isInstanceOf(Reply.Accepted.class);
    assertThat(box.rest(Duration.ofSeconds(30))).isTrue();
    store.readsFail = true;
    CompletableFuture<Reply> resumed = box.submitAsync(new Command.Resume("b", Actor.SYSTEM, null));
    assertThat(store.failed.await(30, TimeUnit.SECONDS)).isTrue();
    box.close();
    assertThat(resumed).isDone();
    the_next_one_finds_everything_in_order();
  }

  @Test
  void what_was_left_is_done_by_the_next_one() throws Exception {
    Failing store = store(InstantSource.system());
    Signalbox box = open(store, InstantSource.system());
    start(box, "a");
    start(box, "b");
    store.appendsFail = true;
    CompletableFuture<Reply> lost = box.submitAsync(Command.Send.of("a", "call", null));
    assertThat(store.failed.await(30, TimeUnit.SECONDS)).isTrue();
    box.close();
    assertThat(lost).isCompletedExceptionally();
    try (Signalbox next = open(store(InstantSource.system()), InstantSource.system())) {
      next.handle("work", _ -> new Outcome.Succeeded(null));
      assertThat(next.send("a", "call")).isInstanceOf(Reply.Accepted.class);
      LongWork.eventually(() -> next.instance("b").leaf().equals("DONE"));
    }
    the_next_one_finds_everything_in_order();
  }
}
