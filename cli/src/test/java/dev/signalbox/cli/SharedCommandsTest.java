package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** On PostgreSQL the command line is a node of its own, beside the one that is up. */
@SuppressWarnings("NullAway.Init")
class SharedCommandsTest {
  private static final String MACHINES =
      """
      machine: order
      states:
        PACKING:
          waits: for the parcel
          invoke: { machine: parcel, id: parcel }
          on: { stop: STOPPED, done.invoke.parcel: STOPPED, error.communication: STOPPED }
        STOPPED: { final: true }
      ---
      machine: parcel
      states:
        OPEN: { waits: somebody, on: { close: CLOSED } }
        CLOSED: { final: true }
      """;

  private EmbeddedPostgres postgres;
  private String url;
  private Signalbox box;

  @BeforeEach
  void a_node_is_up() throws Exception {
    postgres =
        EmbeddedPostgres.builder()
            .setServerConfig("fsync", "on")
            .setServerConfig("synchronous_commit", "on")
            .start();
    url = postgres.getJdbcUrl("postgres", "postgres");
    box = Signalbox.open(url, Settings.DEFAULT, InstantSource.system());
    MachineReader.readAll(new Source("order.yaml", MACHINES), null)
        .forEach(definition -> box.publish(Objects.requireNonNull(definition.machine())));
  }

  @AfterEach
  void it_ends() throws Exception {
    box.close();
    postgres.close();
  }

  private record Result(int exit, String out) {}

  private Result run(String... args) {
    CommandLine line = Main.commandLine();
    StringWriter out = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", url, "--as", "ann"));
    return new Result(line.execute(all.toArray(String[]::new)), out.toString());
  }

  private Reply start(@Nullable String id) {
    return box.submit(new Command.Start("order", id, Map.of(), Actor.SYSTEM, null));
  }

  private static boolean isRefused(Reply reply, Rejection.Code code) {
    return reply instanceof Reply.Rejected(Rejection rejection) && rejection.code() == code;
  }

  /** Nodes look at the store again and again. */
  private static void soon(BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("what the other node does").isLessThan(end);
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Starts an order on the node that is up, and gives its parcel. */
  private String started(String id) {
    assertThat(start(id)).isInstanceOf(Reply.Accepted.class);
    soon(() -> !box.instances(Query.ALL.below(id)).isEmpty());
    return box.instances(Query.ALL.below(id)).getFirst().id();
  }

  @Test
  void an_instance_and_a_tree_stand_still_for_the_node_that_is_up() {
    String parcel = started("o-1");
    assertThat(run("pause", "o-1", "--clocks", "running").exit()).isZero();
    assertThat(isRefused(box.send("o-1", "stop"), Rejection.Code.INSTANCE_PAUSED)).isTrue();
    assertThat(box.instance(parcel).status()).isEqualTo("live");
    assertThat(run("pause", "o-1", "--tree").out()).contains("1 paused, 1 were so already");
    assertThat(isRefused(box.send(parcel, "close"), Rejection.Code.INSTANCE_PAUSED)).isTrue();
    assertThat(run("resume", "o-1", "--tree").out()).contains("2 resumed");
    assertThat(box.send(parcel, "close")).isInstanceOf(Reply.Accepted.class);
    soon(() -> box.instance("o-1").status().equals("ended"));
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
  }

  @Test
  void a_machine_stands_still_for_the_node_that_is_up() {
    started("o-1");
    assertThat(run("pause", "--machine", "order").out()).contains("1 paused");
    soon(() -> isRefused(start(null), Rejection.Code.MACHINE_PAUSED));
    assertThat(isRefused(box.send("o-1", "stop"), Rejection.Code.INSTANCE_PAUSED)).isTrue();
    assertThat(run("machines").out()).contains("paused");
    assertThat(run("resume", "--machine", "order").exit()).isZero();
    soon(() -> start(null) instanceof Reply.Accepted);
    assertThat(box.send("o-1", "stop")).isInstanceOf(Reply.Accepted.class);
  }
}
