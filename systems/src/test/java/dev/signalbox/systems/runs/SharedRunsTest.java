package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.runtime.Watch;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.systems.runs.file.RunFiles;
import dev.signalbox.systems.runs.file.RunVerifier;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs on a real PostgreSQL with two nodes, each a process of its own, that share the store and the
 * folder of the runs. This process starts runs, answers and looks; it does no work.
 */
class SharedRunsTest {
  @TempDir static Path data;
  private static EmbeddedPostgres server;
  private static int databases;

  @TempDir Path temp;

  private Path folder;
  private String url = "";
  private Signalbox box;
  private final Map<Long, Process> nodes = new LinkedHashMap<>();

  @BeforeAll
  static void started() throws IOException {
    server = EmbeddedPostgres.builder().setDataDirectory(data).start();
  }

  @AfterAll
  static void stopped() throws IOException {
    server.close();
  }

  @BeforeEach
  void open() throws Exception {
    folder = temp.toRealPath();
    String name = "runs" + ++databases;
    try (Connection connection =
            DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    }
    url = server.getJdbcUrl("postgres", name);
    box = Signalbox.open(url, RunNode.SETTINGS, InstantSource.system());
    new RunsSystem(RunsSettings.in(folder.resolve("runs"), folder)).publish(box);
  }

  @AfterEach
  void close() {
    nodes.values().forEach(node -> node.toHandle().destroyForcibly());
    box.close();
  }

  private Process node() throws IOException {
    long number = nodes.size() + 1L;
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                RunNode.class.getName(),
                url,
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.appendTo(folder.resolve("errors").toFile()));
    // A tool does not see who started it, so it is told.
    builder.environment().put("NODE", Long.toString(number));
    Process node = builder.start();
    assertThat(node.inputReader().readLine()).isEqualTo("up");
    nodes.put(number, node);
    return node;
  }

  private String start(String project, String plan) throws IOException {
    Path work = Files.createDirectories(folder.resolve(project));
    return Runs.on(box)
        .start(
            PlanReader.read(
                new Source("plan.yaml", "project: %s\n%s".formatted(project, plan)), work),
            RunHouse.ANN);
  }

  /** A node that is gone is missed only when its leases are over. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private Instance until(String run, java.util.function.Predicate<Instance> wanted) {
    try {
      until("run " + run, () -> wanted.test(Runs.on(box).run(run)));
    } catch (AssertionError e) {
      Instance stood = Runs.on(box).run(run);
      throw new AssertionError(stood.leaves() + " with " + stood.context(), e);
    }
    return Runs.on(box).run(run);
  }

  private void until(String what, BooleanSupplier wanted) {
    Semaphore news = new Semaphore(0);
    try (Watch _ = box.feed().onCommit(news::release)) {
      long began = System.nanoTime();
      while (System.nanoTime() - began < PATIENCE.toNanos()) {
        if (wanted.getAsBoolean()) {
          return;
        }
        boolean _ = news.tryAcquire(100, TimeUnit.MILLISECONDS);
        news.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new AssertionError("Expected " + what);
  }

  private List<Long> began(String project) {
    try {
      Path file = folder.resolve(project + ".began");
      return Files.exists(file)
          ? Files.readAllLines(file).stream().map(Long::parseLong).toList()
          : List.of();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The second tool says who started it, and waits until it may go on. */
  private static final String PLAN =
      """
      tools:
        - { name: first, command: [sh, -c, "echo once >> ../DEMO.first; touch first.txt"], writes: [first.txt] }
        - name: hold
          env: [PATH, NODE]
          command: [sh, -c, "echo $NODE >> ../DEMO.began; while [ ! -e ../go ]; do sleep 0.02; done; touch hold.txt"]
          writes: [hold.txt]
          idempotent: %s
        - { name: merge, command: [touch, merged.txt], writes: [merged.txt], risks: [merge_to_main] }
      checks:
        - { name: there, command: [sh, -c, "test -f first.txt && test -f hold.txt && test -f merged.txt"] }
      """;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_run_whose_node_is_killed_goes_on_at_the_other(boolean idempotent) throws Exception {
    node();
    node();
    String run = start("DEMO", PLAN.formatted(idempotent));
    until("the tool to begin", () -> began("DEMO").size() == 1);

    Objects.requireNonNull(nodes.get(began("DEMO").getFirst())).toHandle().destroyForcibly();
    Files.writeString(folder.resolve("go"), "");
    if (!idempotent) {
      answer(until(run, i -> i.leaves().contains("awaiting_decision")));
    }
    answer(
        until(
            run,
            i ->
                i.leaves().contains("awaiting_decision")
                    && "merge".equals(i.context().get("current_tool"))));
    Instance ended = until(run, i -> i.status().equals("ended"));

    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(began("DEMO")).hasSize(2).doesNotHaveDuplicates();
    assertThat(Files.readAllLines(folder.resolve("DEMO.first"))).hasSize(1);
    assertWritten();
  }

  @Test
  void a_run_whose_node_is_closed_goes_on_at_the_other() throws Exception {
    Process first = node();
    String run = start("DEMO", PLAN.formatted(true));
    until("the tool to begin", () -> began("DEMO").size() == 1);
    node();

    first.getOutputStream().close();
    try (BufferedReader out = first.inputReader()) {
      assertThat(out.readLine()).isEqualTo("closed");
    }
    Files.writeString(folder.resolve("go"), "");
    answer(until(run, i -> i.leaves().contains("awaiting_decision")));
    Instance ended = until(run, i -> i.status().equals("ended"));

    assertThat(Runs.state(ended)).as("%s", ended.context()).isEqualTo("COMPLETE");
    assertThat(Files.readAllLines(folder.resolve("DEMO.first"))).hasSize(1);
    assertWritten();
  }

  @Test
  void two_processes_that_write_one_folder_never_fork_the_ledger() throws Exception {
    Process first = node();
    Process second = node();
    List<String> runs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      runs.add(
          start(
              "P" + i,
              """
              tools:
                - { name: note, command: [touch, note.txt], writes: [note.txt], idempotent: true }
              checks:
                - { name: there, command: [test, -f, note.txt] }
              """));
      if (i == 2) {
        // One of the two writes; whichever it is, it dies at one of these.
        first.toHandle().destroyForcibly();
        first.waitFor();
        node();
      }
      if (i == 4) {
        second.toHandle().destroyForcibly();
        second.waitFor();
      }
    }
    for (String run : runs) {
      assertThat(Runs.state(until(run, i -> i.status().equals("ended")))).isEqualTo("COMPLETE");
    }
    assertWritten();
  }

  private void answer(Instance run) {
    Approvals approvals = Approvals.on(box);
    Approval asked =
        approvals.approval(
            String.valueOf(RunEntry.list(run.context().get("approvals_pending")).getFirst()));
    approvals.approve(asked.id(), RunHouse.BOB, asked.digest());
  }

  /** What the nodes wrote is whole, by itself and beside the journal, after all have gone. */
  private void assertWritten() throws Exception {
    for (Process node : nodes.values()) {
      node.toHandle().destroyForcibly();
      node.waitFor();
    }
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    Path runs = folder.resolve("runs");
    try (RunFiles files = new RunFiles(box, runs)) {
      files.catchUpWholly();
    }
    assertThat(RunVerifier.verifyAll(runs)).isEmpty();
    Path anew = folder.resolve("anew");
    try (RunFiles files = new RunFiles(box, anew)) {
      files.catchUpWholly();
    }
    assertThat(runs.resolve("RUN_LEDGER.jsonl"))
        .hasSameTextualContentAs(anew.resolve("RUN_LEDGER.jsonl"));
    try (var all = Files.list(runs)) {
      // Nobody found a ledger that somebody else had spoilt.
      assertThat(all.map(file -> String.valueOf(file.getFileName())))
          .noneMatch(name -> name.contains("altered"));
    }
  }
}
