package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A caller that finds the engine at rest drives it for its own command, on real stores. */
class LoneCallerTest {
  private static final int TRIES = 10_000;

  private static final Machine COUNTER =
      MachineReader.read(
          new Source(
              "counter.yaml",
              """
              machine: counter
              context:
                n: { type: int, default: 0 }
                name: { type: string, default: "", personal: true }
              events:
                call: { data: { name: string } }
              states:
                ON:
                  waits: for more
                  on:
                    more: { assign: { n: ctx.n + 1 } }
                    call: { assign: { name: event.name } }
                    ring: { do: [ { perform: { effect: bell, idempotent: true } } ] }
                    bell.succeeded: { assign: { n: ctx.n + 1 } }
                    bell.failed: { }
                    nap: NAPPING
                NAPPING: { after: { 30ms: ON } }
              """));

  @TempDir Path folder;

  /** A journal that knows who appended last, and fails when it is told to. */
  private static final class Observed extends ForwardingJournal {
    final AtomicReference<Thread> last = new AtomicReference<>();
    final AtomicInteger failures = new AtomicInteger();

    Observed(Journal to) {
      super(to);
    }

    @Override
    public Appended append(Group group) {
      last.set(Thread.currentThread());
      if (failures.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
        throw new JournalException("Expected to append, but the disk is away.", null, true);
      }
      return super.append(group);
    }
  }

  private Observed journal() {
    return new Observed(SqliteJournal.open(folder.resolve("box.db"), InstantSource.system()));
  }

  private Signalbox open(Journal journal) {
    Signalbox box =
        Signalbox.open(
            journal,
            Settings.DEFAULT,
            InstantSource.system(),
            Keyring.at(folder.resolve("signalbox-keys")));
    box.publish(COUNTER);
    return box;
  }

  /** Sends until this thread was the one that appended. */
  private static void sendAlone(Signalbox box, Observed journal, String id, String event) {
    for (int i = 0; i < TRIES; i++) {
      assertThat(box.send(id, event)).isInstanceOf(Reply.Accepted.class);
      if (journal.last.get() == Thread.currentThread()) {
        return;
      }
    }
    throw new AssertionError("The engine was never at rest.");
  }

  @Test
  void a_caller_that_finds_the_engine_at_rest_appends_its_command_itself() {
    Observed journal = journal();
    try (Signalbox box = open(journal)) {
      String id = box.start("counter", Map.of()).id();
      sendAlone(box, journal, id, "more");
    }
  }

  @Test
  void on_a_store_that_others_write_too_only_a_thread_that_nobody_can_interrupt_does_so()
      throws Exception {
    Observed journal =
        new Observed(PostgresJournal.open(FlushingPostgres.shared().database("lone"), null, null));
    try (Signalbox box = open(journal)) {
      String id = box.start("counter", Map.of()).id();
      sendAlone(box, journal, id, "more");
      AtomicInteger byVirtual = new AtomicInteger();
      Thread.ofVirtual()
          .start(() -> {
            for (int i = 0; i < 100; i++) {
              assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
              if (journal.last.get() == Thread.currentThread()) {
                byVirtual.incrementAndGet();
              }
            }
          })
          .join();
      assertThat(byVirtual).hasValue(0);
      Thread.currentThread().interrupt();
      try {
        for (int i = 0; i < 100; i++) {
          assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
          assertThat(journal.last.get()).isNotSameAs(Thread.currentThread());
        }
      } finally {
        boolean _ = Thread.interrupted();
      }
    }
  }

  @Test
  void whoever_does_not_wait_is_never_made_to_work() {
    Observed journal = journal();
    try (Signalbox box = open(journal)) {
      String id = box.start("counter", Map.of()).id();
      for (int i = 0; i < 100; i++) {
        box.submitAsync(Command.Send.of(id, "more", null)).join();
        assertThat(journal.last.get()).isNotSameAs(Thread.currentThread());
      }
    }
  }

  @Test
  void what_a_lone_command_asked_for_goes_on_without_its_caller() {
    Observed journal = journal();
    try (Signalbox box = open(journal)) {
      box.handle("bell", effect -> new Outcome.Succeeded(Map.of()));
      String id = box.start("counter", Map.of()).id();
      for (int i = 0; i < 20; i++) {
        long before = count(box, id);
        assertThat(box.send(id, "ring")).isInstanceOf(Reply.Accepted.class);
        until(() -> count(box, id) == before + 1);
        assertThat(box.send(id, "nap")).isInstanceOf(Reply.Accepted.class);
        until(() -> box.instance(id).states().contains("ON"));
      }
    }
  }

  @Test
  void a_lone_command_whose_append_fails_is_told_so_and_the_next_one_works() {
    Observed journal = journal();
    try (Signalbox box = open(journal)) {
      String id = box.start("counter", Map.of()).id();
      sendAlone(box, journal, id, "more");
      long before = count(box, id);
      journal.failures.set(1);
      try {
        box.send(id, "more");
        throw new AssertionError("The disk was away.");
      } catch (JournalException e) {
        assertThat(e).hasMessageContaining("the disk is away");
      }
      assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
      assertThat(count(box, id)).isEqualTo(before + 1);
    }
  }

  @Test
  void a_caller_that_is_interrupted_is_answered_and_harms_nobody() {
    Observed journal = journal();
    try (Signalbox box = open(journal)) {
      String first = box.start("counter", Map.of("name", "Ann")).id();
      Thread.currentThread().interrupt();
      try {
        for (int i = 0; i < 50; i++) {
          String id = box.start("counter", Map.of("name", "Kim")).id();
          assertThat(box.send(id, "call", Map.of("name", "Lee")))
              .isInstanceOf(Reply.Accepted.class);
          assertThat(box.instance(id).context()).containsEntry("name", "Lee");
        }
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
      } finally {
        boolean _ = Thread.interrupted();
      }
      assertThat(box.instance(first).context()).containsEntry("name", "Ann");
      assertThat(box.send(first, "call", Map.of("name", "Eve"))).isInstanceOf(Reply.Accepted.class);
    }
  }

  @Test
  void what_was_answered_is_there_however_callers_and_the_end_meet() throws Exception {
    int callers = 3;
    for (int round = 0; round < 10; round++) {
      AtomicInteger accepted = new AtomicInteger();
      String id;
      long before;
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> calls = new ArrayList<>();
        try (Signalbox box = open(journal())) {
          id = round == 0 ? started(box) : "c-1";
          before = count(box, id);
          for (int caller = 0; caller < callers; caller++) {
            Random random = new Random(100L * round + caller);
            calls.add(threads.submit(() -> callUntilClosed(box, id, random, accepted)));
          }
          LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
        }
        for (Future<?> call : calls) {
          Object _ = call.get();
        }
      }
      try (Signalbox box = open(journal())) {
        assertThat(count(box, id)).isEqualTo(before + accepted.get());
        assertThat(accepted.get()).isPositive();
      }
    }
  }

  private static String started(Signalbox box) {
    Reply reply = box.submit(new Command.Start("counter", "c-1", Map.of(), Actor.SYSTEM, null));
    assertThat(reply).isInstanceOf(Reply.Accepted.class);
    return "c-1";
  }

  private static void callUntilClosed(
      Signalbox box, String id, Random random, AtomicInteger accepted) {
    try {
      while (true) {
        assertThat(box.send(id, "more")).isInstanceOf(Reply.Accepted.class);
        accepted.incrementAndGet();
        // Now and then long enough for the engine to be at rest.
        LockSupport.parkNanos(random.nextInt(400_000));
      }
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("closed");
    }
  }

  private static long count(Signalbox box, String id) {
    return (Long) Objects.requireNonNull(box.instance(id).context().get("n"));
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("what never came").isLessThan(end);
      LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
    }
  }
}
