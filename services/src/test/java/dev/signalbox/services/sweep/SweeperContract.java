package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.services.task.Lease;
import dev.signalbox.services.task.Polled;
import dev.signalbox.services.task.TaskQueue;
import dev.signalbox.services.worker.Workers;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Trouble that is planted by writing to the store, found and put right within one sweep. */
abstract class SweeperContract {
  final ManualClock clock = new ManualClock();
  Signalbox box;

  /** The address of the test's own store, the same whenever it is asked for. */
  abstract String store() throws Exception;

  @BeforeEach
  void opened() throws Exception {
    box = open();
    publish(
        """
        machine: lamp
        context:
          n: { type: int, default: 0 }
        states:
          DARK:
            waits: for someone
            on:
              light: { to: LIT, assign: { n: ctx.n + 1 } }
              call: { to: CALLING, do: [ { perform: { effect: bell } } ] }
              open: OPEN
              busy: BUSY
              end: GONE
          LIT: { after: { 1h: DARK }, on: { dim: DARK } }
          CALLING:
            waits: for the bell
            on: { bell.succeeded: DARK, bell.failed: DARK, bell.unknown: UNSURE }
          UNSURE: { waits: for a person, on: { dim: DARK } }
          OPEN:
            waits: for what is inside
            invoke: { machine: bulb, id: bulb }
            on: { done.invoke.bulb: DARK, dim: DARK }
          BUSY:
            waits: for someone
            on: { done: DARK, stuck: { to: DARK } }
          GONE: { final: true }
        """);
    publish(
        """
        machine: bulb
        states:
          GLOWING: { waits: for someone, on: { burst: BROKEN } }
          BROKEN: { final: true }
        """);
    ServiceMachines.SHELF.names().forEach(name -> box.publish(ServiceMachines.SHELF, name));
  }

  @AfterEach
  void closed() {
    box.close();
  }

  private Signalbox open() throws Exception {
    return Signalbox.open(store(), Settings.DEFAULT, clock);
  }

  private void publish(String text) {
    box.publish(MachineReader.read(new Source("machine.yaml", text)));
  }

  String start(String machine, String id, Map<String, ?> input) {
    return accepted(new Command.Start(machine, id, input, Actor.SYSTEM, null)).instance();
  }

  private Receipt accepted(Command command) {
    Reply reply = box.submit(command);
    if (reply instanceof Reply.Accepted(Receipt receipt)) {
      return receipt;
    }
    throw new AssertionError(reply.toString());
  }

  void send(String id, String event, Map<String, ?> data, String... roles) {
    accepted(
        Command.Send.of(id, event, data.isEmpty() ? null : data)
            .by(new Actor(Actor.Kind.SYSTEM, "test", List.of(roles))));
  }

  /** Writes to the store behind the engine's back. */
  void plant(String sql, Object... values) throws Exception {
    box.close();
    try (Connection store = DriverManager.getConnection(store());
        PreparedStatement statement = store.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      assertThat(statement.executeUpdate()).isEqualTo(1);
    }
    box = open();
  }

  /** Everything the store holds. */
  private List<String> contents() throws Exception {
    List<String> rows = new ArrayList<>();
    try (Connection store = DriverManager.getConnection(store());
        Statement statement = store.createStatement()) {
      for (String table :
          List.of("entry", "instance", "effect", "message", "commit_group", "configuration")) {
        try (ResultSet found = statement.executeQuery("select * from " + table)) {
          while (found.next()) {
            StringBuilder row = new StringBuilder(table);
            for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
              byte[] bytes = found.getBytes(i);
              row.append('|').append(bytes == null ? 0 : Arrays.hashCode(bytes));
            }
            rows.add(row.toString());
          }
        }
      }
    }
    Collections.sort(rows);
    return rows;
  }

  /** Writes another text into a column of bytes of one row, behind the engine's back. */
  private void rewrite(String table, String column, String where, String from, String to)
      throws Exception {
    byte[] bytes;
    try (Connection store = DriverManager.getConnection(store());
        Statement statement = store.createStatement();
        ResultSet found =
            statement.executeQuery("select %s from %s where %s".formatted(column, table, where))) {
      assertThat(found.next()).isTrue();
      bytes = found.getBytes(1);
    }
    String text = new String(bytes, StandardCharsets.UTF_8);
    assertThat(text).contains(from);
    plant(
        "update %s set %s = ? where %s".formatted(table, column, where),
        (Object) text.replace(from, to).getBytes(StandardCharsets.UTF_8));
  }

  private List<Verification.Finding> verified() {
    return Audit.verify(box.journal(), _ -> {}).findings();
  }

  /** What others do comes true some time. */
  static void until(BooleanSupplier condition) {
    long patience = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("still waiting").isLessThan(patience);
      Thread.onSpinWait();
    }
  }

  Sweeper sweeper() {
    List<Sweep> sweeps = new ArrayList<>();
    for (Sweep sweep : Sweeper.standard()) {
      sweeps.add(
          sweep instanceof StuckSweep
              ? new StuckSweep(
                  StuckSweep.read(
                      new Source(
                          "stuck.yaml",
                          """
                          stuck:
                            - { name: busy, machine: lamp, state: BUSY, longest: 10m }
                          """)))
              : sweep);
    }
    return new Sweeper(box, sweeps, SweepSettings.DEFAULT);
  }

  /** A dry run finds it and changes nothing, one sweep corrects it, and the next finds nothing. */
  private FeedEntry correctedOnce(String kind, String instance) throws Exception {
    if (kind.equals("invalid")) {
      assertThat(verified())
          .extracting(Verification.Finding::code, Verification.Finding::where)
          .containsExactly(Tuple.tuple("row-differs", instance));
    }
    if (!box.instance(instance).isReadable()) {
      // Whoever touches it halts it; from then on nobody does.
      halted(instance);
    }
    List<String> before = contents();
    SweepReport dry = sweeper().sweep(true);
    assertThat(dry.outcomes())
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.finding().kind()).isEqualTo(kind);
          assertThat(outcome.finding().instance()).isEqualTo(instance);
          assertThat(outcome.corrected()).isFalse();
        });
    assertThat(contents()).isEqualTo(before);
    long end = box.feed().end();

    SweepReport report = sweeper().sweep(false);
    assertThat(report.outcomes())
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.finding().kind()).isEqualTo(kind);
          assertThat(outcome.corrected()).as(outcome.note()).isTrue();
        });
    until(() -> firstAfter(end, instance) != null);
    FeedEntry entry = Objects.requireNonNull(firstAfter(end, instance));
    assertThat(entry.isRefusal()).isFalse();
    assertThat(String.valueOf(entry.event().get("actor"))).contains("sweep");
    assertThat(String.valueOf(entry.event().get("data"))).contains(kind + ": ");

    box.close();
    box = open();
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
    assertThat(verified()).isEmpty();
    return entry;
  }

  private void halted(String instance) {
    assertThat(box.submit(Command.Send.of(instance, "dim", null)))
        .isInstanceOfSatisfying(
            Reply.Rejected.class,
            r -> {
              assertThat(r.rejection().code()).isEqualTo(Rejection.Code.INSTANCE_HALTED);
              assertThat(r.rejection().message())
                  .contains("'%s'".formatted(instance))
                  .contains("sweep");
            });
    until(() -> row(instance).status() == InstanceRow.Status.HALTED);
    assertThat(box.journal().due(box.journal().now(), 10))
        .extracting(Due::instance)
        .doesNotContain(row(instance).number());
  }

  private @Nullable FeedEntry firstAfter(long position, String instance) {
    return box.feed().read(position, 100).stream()
        .filter(e -> e.instance().equals(instance))
        .findFirst()
        .orElse(null);
  }

  @Test
  void states_that_the_machine_does_not_have_go_back_to_the_last_valid_ones() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "LIT", "NOWHERE");
    assertThat(correctedOnce("invalid", id).kind()).isEqualTo("correct");
    assertThat(box.instance(id).leaves()).containsExactly("LIT");
    assertThat(box.instance(id).deadlines()).hasSize(1);
    send(id, "dim", Map.of());
    assertThat(box.instance(id).context()).containsEntry("n", 1L);
  }

  private static final Logger RUNTIME = Logger.getLogger("dev.signalbox.runtime");

  /** The faults that the runtime tells of while this goes on. */
  private static List<LogRecord> faultsOf(Executable work) throws Exception {
    List<LogRecord> faults = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
              faults.add(record);
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    RUNTIME.addHandler(handler);
    try {
      work.execute();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    } finally {
      RUNTIME.removeHandler(handler);
    }
    return faults;
  }

  private InstanceRow row(String id) {
    return Objects.requireNonNull(box.journal().load(id));
  }

  @Test
  void a_row_that_cannot_be_read_is_named_once_and_stands_still_until_a_sweep_puts_it_right()
      throws Exception {
    start("lamp", "l-1", Map.of());
    start("lamp", "l-2", Map.of());
    send("l-1", "light", Map.of());
    send("l-2", "light", Map.of());
    List<LogRecord> faults =
        faultsOf(() -> {
          rewrite("instance", "snapshot", "id = 'l-1'", "LIT", "NOWHERE");
          for (int i = 0; i < 2; i++) {
            clock.advance(Duration.ofHours(1));
            until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
            until(() -> box.instance("l-2").leaves().equals(List.of("DARK")));
            send("l-2", "light", Map.of());
          }
          halted("l-1");
        });
    assertThat(faults)
        .singleElement()
        .satisfies(fault -> {
          assertThat(fault.getMessage())
              .startsWith("Expected to go on with 'l-1', but its row can't be read:")
              .contains("'NOWHERE'");
          assertThat(fault.getThrown()).isNull();
        });

    faults =
        faultsOf(() -> {
          box.close();
          box = open();
          send("l-2", "dim", Map.of());
        });
    assertThat(faults).isEmpty();
    assertThat(row("l-1").sequence()).isEqualTo(2);
    assertThat(box.instances(Query.ALL.ofMachine("lamp")))
        .extracting(Instance::id, Instance::status, Instance::leaves)
        .containsExactly(
            Tuple.tuple("l-1", "unreadable", List.of()),
            Tuple.tuple("l-2", "live", List.of("DARK")));
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(1));
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(sweeper().sweep(false).isClean()).isTrue();
    assertThat(verified()).isEmpty();
  }

  @Test
  void what_comes_for_a_row_that_cannot_be_read_waits_until_it_is_put_right() throws Exception {
    send(start("lamp", "l-1", Map.of()), "open", Map.of());
    until(() -> !box.instances(Query.ALL.ofMachine("bulb")).isEmpty());
    String child = box.instances(Query.ALL.ofMachine("bulb")).getFirst().id();
    rewrite("instance", "snapshot", "id = 'l-1'", "OPEN", "NOWHERE");
    send(child, "burst", Map.of());
    until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
    assertThat(box.journal().messages(0, 10)).hasSize(1);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(box.journal().messages(0, 10)).isEmpty();
  }

  @Test
  void a_task_and_a_worker_whose_rows_cannot_be_read_keep_no_others_from_theirs() throws Exception {
    start("task", "t-8", Map.of());
    start("task", "t-9", Map.of());
    String lost = runningTask(start("worker", "w-1", Map.of("name", "w-1")));
    send("w-1", "start_failed", Map.of("error", "it broke"), "system");
    send(start("worker", "w-2", Map.of("name", "w-2")), "ready", Map.of(), "worker");
    rewrite("instance", "snapshot", "id = 't-8'", "QUEUED", "NOWHERE");
    rewrite("instance", "snapshot", "id = 'w-2'", "READY", "NOWHERE");
    try (TaskQueue queue = TaskQueue.open(box);
        Workers workers = Workers.open(box, queue)) {
      Reply registered = workers.register("w-3", "", List.of(), true, Actor.SYSTEM, null).join();
      String worker = ((Reply.Accepted) registered).receipt().instance();
      assertThat(workers.ready(worker, null).join()).isInstanceOf(Reply.Accepted.class);
      assertThat(workers.poll(worker, 1, true, Duration.ofSeconds(10)).join())
          .isInstanceOfSatisfying(
              Polled.Granted.class,
              granted ->
                  assertThat(granted.leases()).extracting(Lease::task).containsExactly("t-9"));
      until(() -> !box.instance(lost).leaves().equals(List.of("RUNNING")));
      assertThat(workers.workers(Query.ALL)).hasSize(3);
      assertThat(queue.tasks(Query.ALL)).hasSize(3);
    }
  }

  @Test
  void what_an_effect_reports_to_a_row_that_cannot_be_read_comes_once_it_is_put_right()
      throws Exception {
    send(start("lamp", "l-1", Map.of()), "call", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "CALLING", "NOWHERE");
    AtomicInteger rung = new AtomicInteger();
    box.handle(
        "bell",
        _ -> {
          rung.incrementAndGet();
          return Outcome.succeeded();
        });
    until(() -> row("l-1").status() == InstanceRow.Status.HALTED);
    assertThat(box.journal().effects(0, 10)).isEmpty();
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    until(() -> box.instance("l-1").leaves().equals(List.of("DARK")));
    assertThat(rung).hasValue(1);
  }

  @Test
  void a_context_that_no_entry_gives_goes_back_to_what_the_journal_says() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("instance", "snapshot", "id = 'l-1'", "\"n\":1", "\"n\":77");
    correctedOnce("invalid", id);
    assertThat(box.instance(id).context()).containsEntry("n", 1L);
  }

  @Test
  void a_timer_that_the_store_has_forgotten_fires_after_the_sweep() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    plant("update instance set due = ? where id = ?", Long.MAX_VALUE, id);
    correctedOnce("invalid", id);
    clock.advance(Duration.ofHours(1));
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void an_instance_that_has_ended_and_is_said_to_live_is_ended_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "end", Map.of());
    plant("update instance set status = 0 where id = ?", id);
    correctedOnce("invalid", id);
    assertThat(box.instance(id).status()).isEqualTo("ended");
  }

  @Test
  void an_instance_that_lives_and_is_said_to_have_ended_lives_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    assertThat(verified()).isEmpty();
    plant("update instance set status = 3, due = ? where id = ?", Long.MAX_VALUE, id);
    assertThat(verified())
        .containsExactly(
            new Verification.Finding(
                "row-differs", id, "its row is ended, and its entries have not ended it"));
    FeedEntry entry = correctedOnce("invalid", id);
    assertThat(entry.kind()).isEqualTo("correct");
    assertThat(String.valueOf(entry.event().get("data")))
        .contains("its row is ended and its journal live");
    assertThat(box.instance(id).status()).isEqualTo("live");
    clock.advance(Duration.ofHours(1));
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void what_is_paused_and_said_to_have_ended_is_paused_again() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    accepted(new Command.Pause(id, Command.Clocks.RUNNING, Actor.SYSTEM, null));
    plant("update instance set status = 3 where id = ?", id);
    correctedOnce("invalid", id);
    assertThat(box.instance(id).status()).isEqualTo("paused");
  }

  @Test
  void a_child_stays_when_its_parent_is_only_said_to_have_ended() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "open", Map.of());
    until(() -> !box.instances(Query.ALL.ofMachine("bulb")).isEmpty());
    String child = box.instances(Query.ALL.ofMachine("bulb")).getFirst().id();
    plant("update instance set status = 3 where id = ?", id);
    clock.advance(Duration.ofMinutes(2));
    correctedOnce("invalid", id);
    assertThat(box.instance(child).status()).isEqualTo("live");
    send(child, "burst", Map.of());
    until(() -> box.instance(id).leaves().equals(List.of("DARK")));
  }

  @Test
  void a_task_stays_with_a_worker_that_is_only_said_to_have_ended() throws Exception {
    String task = runningTask(start("worker", "w-1", Map.of("name", "w-1")));
    plant("update instance set status = 3 where id = 'w-1'");
    correctedOnce("invalid", "w-1");
    assertThat(box.instance(task).leaves()).containsExactly("RUNNING");
  }

  @Test
  void a_sweep_of_few_ended_instances_is_followed_by_one_that_goes_on_behind_them()
      throws Exception {
    for (int i = 1; i <= 5; i++) {
      send(start("lamp", "l-" + i, Map.of()), i == 4 ? "light" : "end", Map.of());
    }
    plant("update instance set status = 3 where id = 'l-4'");
    SweepSettings two =
        new SweepSettings(Duration.ZERO, Duration.ofMinutes(5), 1_000, 1_000, 2, 10, 10);
    Sweeper sweeper = new Sweeper(box, Sweeper.standard(), two);
    assertThat(sweeper.sweep(false).isClean()).isTrue();
    assertThat(sweeper.sweep(true).corrected()).isZero();
    assertThat(sweeper.sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance("l-4").status()).isEqualTo("live");
    assertThat(sweeper.sweep(false).isClean()).isTrue();
  }

  @Test
  void an_instance_whose_effect_is_gone_is_told_that_nobody_knows() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "call", Map.of());
    plant("delete from effect");
    clock.advance(Duration.ofMinutes(2));
    FeedEntry entry = correctedOnce("unattended", id);
    assertThat(entry.eventName()).isEqualTo("bell.unknown");
    assertThat(box.instance(id).leaves()).containsExactly("UNSURE");
  }

  @Test
  void a_child_whose_parent_has_ended_ends() throws Exception {
    send(start("lamp", "l-1", Map.of()), "end", Map.of());
    String child = start("bulb", "b-1", Map.of());
    plant("update instance set parent = 'l-1' where id = ?", child);
    clock.advance(Duration.ofMinutes(2));
    List<String> before = contents();
    assertThat(sweeper().sweep(true).outcomes())
        .extracting(o -> o.finding().kind(), o -> o.finding().correction())
        .containsExactly(Tuple.tuple("orphan", new Correction.Cancel()));
    assertThat(contents()).isEqualTo(before);
    long end = box.feed().end();
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance(child).status()).isEqualTo("ended");
    until(() -> firstAfter(end, child) != null);
    FeedEntry last = Objects.requireNonNull(firstAfter(end, child));
    assertThat(String.valueOf(last.event().get("data"))).contains("its parent 'l-1' has ended");
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
  }

  @Test
  void an_approval_whose_asker_has_ended_is_closed() throws Exception {
    String lamp = start("lamp", "l-1", Map.of());
    String approval =
        start(
            "approval",
            "a-1",
            Map.of("owner", lamp, "action", "light", "digest", "d", "requester", "agent"));
    send(lamp, "end", Map.of());
    clock.advance(Duration.ofMinutes(2));
    List<String> before = contents();
    assertThat(sweeper().sweep(true).counts()).containsOnlyKeys("orphan");
    assertThat(contents()).isEqualTo(before);
    SweepReport report = sweeper().sweep(false);
    assertThat(report.corrected()).isEqualTo(1);
    assertThat(box.instance(approval).leaves()).containsExactly("ABORTED");
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
  }

  private String runningTask(String worker) {
    String task = start("task", "t-1", Map.of("limit_ms", 36_000_000));
    send(task, "assigned", Map.of("worker", worker, "fence", 1), "queue");
    send(task, "started", Map.of("fence", 1), "worker");
    return task;
  }

  @Test
  void a_task_whose_worker_is_gone_fails() throws Exception {
    String worker = start("worker", "w-1", Map.of("name", "w-1"));
    String task = runningTask(worker);
    send(worker, "start_failed", Map.of("error", "none"), "worker");
    send(worker, "give_up", Map.of(), "system");
    FeedEntry entry = correctedOnce("zombie", task);
    assertThat(entry.eventName()).isEqualTo("zombie");
    assertThat(String.valueOf(entry.body().get("microsteps"))).contains("entered=[FAILED]");
    assertThat(box.instance(task).context()).containsEntry("cause", "worker_failure");
  }

  @Test
  void a_task_whose_worker_is_silent_for_too_long_fails() {
    String task = runningTask("elsewhere");
    Sweeper zombies =
        new Sweeper(box, List.of(new ZombieSweep(Duration.ofMinutes(5))), SweepSettings.DEFAULT);
    clock.advance(Duration.ofMinutes(5));
    assertThat(zombies.sweep(false).isClean()).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(zombies.sweep(false).corrected()).isEqualTo(1);
    assertThat(String.valueOf(box.instance(task).context().get("error")))
        .contains("silent for 301 s");
  }

  /** A worker of which nothing is left in the store can't speak for its task any more. */
  @Test
  void a_task_whose_worker_was_taken_out_of_the_store_fails() throws Exception {
    String worker = start("worker", "w-1", Map.of("name", "w-1"));
    send(worker, "ready", Map.of(), "worker");
    String task = runningTask(worker);
    clock.advance(Duration.ofSeconds(299));
    send(worker, "heartbeat", Map.of(), "worker");
    clock.advance(Duration.ofSeconds(2));
    assertThat(sweeper().sweep(false).isClean()).isTrue();

    plant("delete from instance where id = ?", worker);
    List<String> before = contents();
    assertThat(sweeper().sweep(true).counts()).containsExactly(Map.entry("zombie", 1L));
    assertThat(contents()).isEqualTo(before);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance(task).leaves()).containsExactly("RETRY_QUEUED");
    assertThat(String.valueOf(box.instance(task).context().get("error")))
        .startsWith("zombie: worker 'w-1' has been silent for 301 s");
    assertThat(sweeper().sweep(false).isClean()).isTrue();
  }

  @Test
  void an_instance_that_is_too_long_in_a_state_is_sent_on() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "busy", Map.of());
    plant("update instance set since = since - 3600000 where id = ?", id);
    FeedEntry entry = correctedOnce("stuck", id);
    assertThat(entry.eventName()).isEqualTo("stuck");
    assertThat(box.instance(id).leaves()).containsExactly("DARK");
  }

  @Test
  void a_journal_that_was_changed_is_reported_and_left_to_people() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    rewrite("entry", "body", "sequence = 2", "\"n\":1", "\"n\":7");
    SweepReport report = sweeper().sweep(false);
    assertThat(report.outcomes())
        .singleElement()
        .satisfies(outcome -> {
          assertThat(outcome.finding().kind()).isEqualTo("invalid");
          assertThat(outcome.finding().correction()).isEqualTo(new Correction.None());
          assertThat(outcome.finding().reason()).contains("verify the journal");
        });
  }

  @Test
  void only_the_sweep_may_correct() {
    String id = start("lamp", "l-1", Map.of());
    assertThat(box.submit(new Command.Correct(id, "because", Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.submit(new Command.GiveUp(id, "bell", "because", Actor.SYSTEM, null)))
        .isInstanceOf(Reply.Rejected.class);
    assertThat(box.submit(new Command.Correct("nobody", "because", Sweeper.ACTOR, null)))
        .isInstanceOf(Reply.Rejected.class);
  }

  @Test
  void a_healthy_store_gives_no_finding() {
    int instances = Integer.getInteger("sweep.instances", 2_000);
    List<CompletableFuture<Reply>> replies = new ArrayList<>();
    for (int i = 0; i < instances; i++) {
      String id = "l-" + i;
      replies.add(box.submitAsync(new Command.Start("lamp", id, Map.of(), Actor.SYSTEM, null)));
      String event = List.of("light", "call", "busy", "end", "").get(i % 5);
      if (!event.isEmpty()) {
        replies.add(box.submitAsync(Command.Send.of(id, event, null)));
      }
      if (i % 1_000 == 999) {
        replies.forEach(CompletableFuture::join);
        replies.clear();
      }
    }
    replies.forEach(reply -> assertThat(reply.join()).isInstanceOf(Reply.Accepted.class));
    clock.advance(Duration.ofMinutes(5));
    long began = System.nanoTime();
    SweepReport report = sweeper().sweep(false);
    System.out.printf(
        "%,d instances swept in %,d ms%n", instances, (System.nanoTime() - began) / 1_000_000);
    assertThat(report.outcomes()).isEmpty();
    assertThat(report.scanned()).isEqualTo(instances);
    assertThat(report.replayed()).isEqualTo(instances - instances / 5);
  }

  @Test
  void continuous_sweeps_go_on_until_they_are_closed() throws Exception {
    CompletableFuture<SweepReport> second = new CompletableFuture<>();
    java.util.concurrent.atomic.AtomicInteger count =
        new java.util.concurrent.atomic.AtomicInteger();
    try (Sweeper sweeper = sweeper()) {
      sweeper.start(
          Duration.ofMillis(1),
          report -> {
            if (count.incrementAndGet() == 2) {
              second.complete(report);
            }
          });
      assertThat(second.get(10, java.util.concurrent.TimeUnit.SECONDS).isClean()).isTrue();
    }
  }
}
