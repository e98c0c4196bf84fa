package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trouble that is planted by writing to the store, found and put right within one sweep. */
class SweeperTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box;

  @BeforeEach
  void opened() {
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

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
  }

  private void publish(String text) {
    box.publish(MachineReader.read(new Source("machine.yaml", text)));
  }

  private String start(String machine, String id, Map<String, ?> input) {
    return accepted(new Command.Start(machine, id, input, Actor.SYSTEM, null)).instance();
  }

  private Receipt accepted(Command command) {
    Reply reply = box.submit(command);
    if (reply instanceof Reply.Accepted(Receipt receipt)) {
      return receipt;
    }
    throw new AssertionError(reply.toString());
  }

  private void send(String id, String event, Map<String, ?> data, String... roles) {
    accepted(
        Command.Send.of(id, event, data.isEmpty() ? null : data)
            .by(new Actor(Actor.Kind.SYSTEM, "test", List.of(roles))));
  }

  /** Writes to the store behind the engine's back. */
  private void plant(String sql, Object... values) throws Exception {
    box.close();
    try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("box.db"));
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
    try (Connection store = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("box.db"));
        Statement statement = store.createStatement()) {
      for (String table : List.of("entry", "instance", "effect", "message", "commit_group")) {
        try (ResultSet found = statement.executeQuery("select * from " + table + " order by 1")) {
          while (found.next()) {
            StringBuilder row = new StringBuilder(table);
            for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
              byte[] bytes = found.getBytes(i);
              row.append('|').append(bytes == null ? 0 : java.util.Arrays.hashCode(bytes));
            }
            rows.add(row.toString());
          }
        }
      }
    }
    return rows;
  }

  private Sweeper sweeper() {
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
    FeedEntry entry =
        box.feed().read(end, 100).stream()
            .filter(e -> e.instance().equals(instance))
            .findFirst()
            .orElseThrow();
    assertThat(entry.isRefusal()).isFalse();
    assertThat(String.valueOf(entry.event().get("actor"))).contains("sweep");
    assertThat(String.valueOf(entry.event().get("data"))).contains(kind + ": ");

    box.close();
    box = open();
    assertThat(sweeper().sweep(false).outcomes()).isEmpty();
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    return entry;
  }

  @Test
  void states_that_the_machine_does_not_have_go_back_to_the_last_valid_ones() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    plant(
        "update instance set snapshot = cast(replace(cast(snapshot as text), 'LIT', 'NOWHERE') as"
            + " blob) where id = ?",
        id);
    assertThat(correctedOnce("invalid", id).kind()).isEqualTo("correct");
    assertThat(box.instance(id).leaves()).containsExactly("LIT");
    assertThat(box.instance(id).deadlines()).hasSize(1);
    send(id, "dim", Map.of());
    assertThat(box.instance(id).context()).containsEntry("n", 1L);
  }

  @Test
  void a_context_that_no_entry_gives_goes_back_to_what_the_journal_says() throws Exception {
    String id = start("lamp", "l-1", Map.of());
    send(id, "light", Map.of());
    InstanceRow row = Objects.requireNonNull(box.journal().load(id));
    String snapshot = new String(row.snapshot(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(snapshot).contains("\"n\":1");
    plant(
        "update instance set snapshot = ? where id = ?",
        snapshot.replace("\"n\":1", "\"n\":77").getBytes(java.nio.charset.StandardCharsets.UTF_8),
        id);
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
    CompletableFuture<Boolean> dark = new CompletableFuture<>();
    try (var _ = box.feed().onCommit(() -> dark.complete(true))) {
      assertThat(dark.get(10, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    }
    assertThat(box.instance(id).leaves()).containsExactly("DARK");
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
    String id = start("lamp", "l-1", Map.of());
    CompletableFuture<Boolean> born = new CompletableFuture<>();
    try (var _ =
        box.feed()
            .onCommit(() -> {
              if (!box.instances(Query.ALL.ofMachine("bulb")).isEmpty()) {
                born.complete(true);
              }
            })) {
      send(id, "open", Map.of());
      born.get(10, java.util.concurrent.TimeUnit.SECONDS);
    }
    String child = box.instances(Query.ALL.ofMachine("bulb")).getFirst().id();
    plant("update instance set status = 3 where id = ?", id);
    clock.advance(Duration.ofMinutes(2));
    List<String> before = contents();
    assertThat(sweeper().sweep(true).outcomes())
        .extracting(o -> o.finding().kind(), o -> o.finding().correction())
        .containsExactly(org.assertj.core.groups.Tuple.tuple("orphan", new Correction.Cancel()));
    assertThat(contents()).isEqualTo(before);
    assertThat(sweeper().sweep(false).corrected()).isEqualTo(1);
    assertThat(box.instance(child).status()).isEqualTo("ended");
    FeedEntry last = box.feed().read(box.feed().end() - 1, 1).getFirst();
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
    plant("update instance set status = 3 where id = ?", lamp);
    clock.advance(Duration.ofMinutes(2));
    assertThat(sweeper().sweep(true).counts()).containsOnlyKeys("orphan");
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
    String task = runningTask(start("worker", "w-1", Map.of("name", "w-1")));
    plant("update instance set status = 3 where id = 'w-1'");
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
    plant(
        "update entry set body = cast(replace(cast(body as text), '\"n\":1', '\"n\":7') as blob)"
            + " where sequence = 2");
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
    assertThat(report.scanned()).isEqualTo(instances - instances / 5);
    assertThat(report.replayed()).isEqualTo(report.scanned());
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
