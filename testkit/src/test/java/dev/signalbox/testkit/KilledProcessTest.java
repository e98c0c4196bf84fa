package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.postgres.PostgresJournal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Audit;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes under load, killed at any moment, lose nothing that they acknowledged and do
 * nothing twice. {@code -Dkills=200} is the long run, {@code -Dkills.seed} another one.
 */
class KilledProcessTest {
  private static final long SEED = Long.getLong("kills.seed", 1);

  /** How often a long run is verified as a whole before its end. */
  private static final int VERIFIED_EVERY = 25;

  @TempDir Path folder;

  private final Random random = new Random(SEED);

  /** Most of the time the load runs already; sometimes the store is only being opened. */
  private void runForAWhile(WorkerProcess worker) throws Exception {
    if (random.nextInt(5) > 0) {
      worker.awaitReady();
    }
    worker.run(random.nextInt(1_500));
  }

  @Test
  void on_sqlite_nothing_is_lost_and_nothing_done_twice(TestReporter report) throws Exception {
    int kills = Integer.getInteger("kills", 8);
    Path file = folder.resolve("killed.db");
    String url = "jdbc:sqlite:" + file;
    Evidence evidence = new Evidence(folder, List.of("one"));
    for (int kill = 1; kill <= kills; kill++) {
      try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
        runForAWhile(worker);
      }
      try (Journal journal = SqliteJournal.open(file, InstantSource.system())) {
        evidence.compare(journal);
        assertThat(evidence.findings()).as("after kill %d", kill).isEmpty();
        assertThat(evidence.missing()).as("lost after kill %d", kill).isEmpty();
        if (kill % VERIFIED_EVERY == 0) {
          assertThat(Audit.verify(journal, _ -> {}).findings()).as("kill %d", kill).isEmpty();
        }
      }
    }
    Aftermath.settle(url, folder, "one", evidence);
    report.publishEntry("SQLite", kills + " kills: " + evidence);
  }

  @Test
  void on_postgres_three_nodes_lose_nothing_and_do_nothing_twice(TestReporter report)
      throws Exception {
    int kills = Integer.getInteger("kills", 6);
    List<String> nodes = List.of("one", "two", "three");
    Evidence evidence = new Evidence(folder, nodes);
    List<WorkerProcess> workers = new ArrayList<>();
    try (FlushingPostgres postgres = new FlushingPostgres(folder.resolve("postgres"))) {
      String url = postgres.url();
      try (Journal journal = PostgresJournal.open(url, null, null)) {
        for (String node : nodes) {
          workers.add(WorkerProcess.start(url, folder, node, SEED));
        }
        for (int kill = 1; kill <= kills; kill++) {
          int victim = random.nextInt(workers.size());
          runForAWhile(workers.get(victim));
          workers.get(victim).kill();
          workers.set(victim, WorkerProcess.start(url, folder, nodes.get(victim), SEED));
          evidence.compare(journal);
          assertThat(evidence.findings()).as("after kill %d", kill).isEmpty();
          if (kill % VERIFIED_EVERY == 0) {
            assertThat(Audit.verify(journal, _ -> {}).findings()).as("kill %d", kill).isEmpty();
          }
        }
      } finally {
        for (WorkerProcess worker : workers) {
          worker.close();
        }
      }
      Aftermath.settle(url, folder, "one", evidence);
    }
    report.publishEntry("PostgreSQL", kills + " kills: " + evidence);
  }
}
