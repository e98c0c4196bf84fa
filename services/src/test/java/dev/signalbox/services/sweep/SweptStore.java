package dev.signalbox.services.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.FeedEntry;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Verification;
import dev.signalbox.services.ServiceMachines;
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
import java.util.function.BooleanSupplier;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store with lamps, tasks and workers, trouble that is planted by writing to it, and sweeps. */
abstract class SweptStore {
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

  Signalbox open() throws Exception {
    return Signalbox.open(store(), Settings.DEFAULT, clock);
  }

  void publish(String text) {
    box.publish(MachineReader.read(new Source("machine.yaml", text)));
  }

  String start(String machine, String id, Map<String, ?> input) {
    return accepted(new Command.Start(machine, id, input, Actor.SYSTEM, null)).instance();
  }

  Receipt accepted(Command command) {
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

  /**
   * Everything the store holds. When PostgreSQL looks at an instance's timers again is no part of
   * it: a node that finds it too early moves it.
   */
  List<String> contents() throws Exception {
    List<String> rows = new ArrayList<>();
    try (Connection store = DriverManager.getConnection(store());
        Statement statement = store.createStatement()) {
      for (String table :
          List.of("entry", "instance", "effect", "message", "commit_group", "configuration")) {
        try (ResultSet found = statement.executeQuery("select * from " + table)) {
          while (found.next()) {
            StringBuilder row = new StringBuilder(table);
            for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
              boolean told = !found.getMetaData().getColumnName(i).equals("wake");
              byte[] bytes = told ? found.getBytes(i) : null;
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
  void rewrite(String table, String column, String where, String from, String to) throws Exception {
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

  List<Verification.Finding> verified() {
    return Audit.verify(box.journal(), _ -> {}).findings();
  }

  /** What others do comes true some time. */
  static void until(BooleanSupplier condition) {
    long patience = System.nanoTime() + Duration.ofMinutes(1).toNanos();
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
  FeedEntry correctedOnce(String kind, String instance) throws Exception {
    if (kind.equals("invalid")) {
      assertThat(verified())
          .extracting(Verification.Finding::code, Verification.Finding::where)
          .containsExactly(Tuple.tuple("row-differs", instance));
    }
    if (!box.instance(instance).isReadable()) {
      // Whoever touches it halts it; from then on nobody does.
      halted(instance);
    }
    // A timer that is due in a row that has ended is taken out by the first node that finds it.
    until(() ->
        row(instance).status() != InstanceRow.Status.ENDED
            || row(instance).due() > box.journal().now());
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

  void halted(String instance) {
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

  @Nullable FeedEntry firstAfter(long position, String instance) {
    return box.feed().read(position, 100).stream()
        .filter(e -> e.instance().equals(instance))
        .findFirst()
        .orElse(null);
  }

  InstanceRow row(String id) {
    return Objects.requireNonNull(box.journal().load(id));
  }

  String runningTask(String worker) {
    String task = start("task", "t-1", Map.of("limit_ms", 36_000_000));
    send(task, "assigned", Map.of("worker", worker, "fence", 1), "queue");
    send(task, "started", Map.of("fence", 1), "worker");
    return task;
  }
}
