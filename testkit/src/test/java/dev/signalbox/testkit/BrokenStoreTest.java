package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Audit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that breaks under load is reported in clear words, and then it goes on: nothing that was
 * acknowledged is lost.
 */
class BrokenStoreTest {
  private static final long SEED = 1;

  @TempDir Path folder;

  private Evidence evidence(String... nodes) {
    return new Evidence(folder, List.of(nodes));
  }

  /** How many answers the node has noted. */
  private long answers(String node) throws IOException {
    Path file = LoadWorker.answers(folder, node);
    if (!Files.exists(file)) {
      return 0;
    }
    try (var lines = Files.lines(file)) {
      return lines.count();
    }
  }

  private List<String> errors(String node) throws IOException {
    return Files.readAllLines(LoadWorker.errors(folder, node)).stream().distinct().toList();
  }

  /** Lets a worker run until it got so many more answers. */
  private void awaitAnswers(WorkerProcess worker, int more) throws Exception {
    long enough = answers(worker.node()) + more;
    for (int i = 0; i < 600 && answers(worker.node()) < enough; i++) {
      worker.run(100);
    }
    assertThat(answers(worker.node()))
        .as("%s goes on, after %s\n%s", worker, errors(worker.node()), worker.complaints())
        .isGreaterThanOrEqualTo(enough);
  }

  private void awaitError(WorkerProcess worker, String words) throws Exception {
    for (int i = 0; i < 600; i++) {
      if (errors(worker.node()).stream().anyMatch(e -> e.contains(words))) {
        return;
      }
      worker.run(100);
    }
    assertThat(errors(worker.node()))
        .as("what %s was told\n%s", worker, worker.complaints())
        .anyMatch(e -> e.contains(words));
  }

  /** Lets a worker run until it complains once more. */
  private void awaitComplaint(WorkerProcess worker, String words) throws Exception {
    int before = worker.complaints().length();
    for (int i = 0; i < 600; i++) {
      if (worker.complaints().substring(before).contains(words)) {
        return;
      }
      worker.run(100);
    }
    assertThat(worker.complaints().substring(before)).contains(words);
  }

  /** Lets a worker run until somebody is told once more: a caller, or who reads what it prints. */
  private void awaitToldOrComplaint(WorkerProcess worker, String words) throws Exception {
    int before = told(worker, words);
    for (int i = 0; i < 600 && told(worker, words) == before; i++) {
      worker.run(100);
    }
    assertThat(told(worker, words)).as("times told: %s", words).isGreaterThan(before);
  }

  private int told(WorkerProcess worker, String words) throws IOException {
    String all = worker.complaints() + Files.readString(LoadWorker.errors(folder, worker.node()));
    return all.split(Pattern.quote(words), -1).length - 1;
  }

  @Test
  void a_full_disk_is_reported_and_then_it_goes_on() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(isDone("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()));
    try {
      String url = "jdbc:sqlite:" + disk.resolve("full.db");
      Path ballast = disk.resolve("ballast");
      Evidence evidence = evidence("one");
      try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
        worker.awaitReady();
        awaitAnswers(worker, 200);
        assertThat(isDone("sh", "-c", "cat /dev/zero > " + ballast)).isFalse();
        awaitError(worker, "the disk is full; make room, then it goes on");
        Files.delete(ballast);
        awaitAnswers(worker, 200);
      }
      Aftermath.settle(url, folder, "one", evidence);
    } finally {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  @Test
  void a_full_disk_of_the_database_is_reported_and_then_it_goes_on() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(isDone("mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", disk.toString()));
    try {
      Path ballast = disk.resolve("ballast");
      Evidence evidence = evidence("one");
      try (FlushingPostgres postgres = new FlushingPostgres(folder.resolve("postgres"))) {
        String url = postgres.database("narrow", Files.createDirectory(disk.resolve("tables")));
        try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
          worker.awaitReady();
          awaitAnswers(worker, 200);
          assertThat(isDone("sh", "-c", "cat /dev/zero > " + ballast)).isFalse();
          awaitError(worker, "the database's disk is full; make room, then it goes on");
          Files.delete(ballast);
          awaitAnswers(worker, 200);
        }
        Aftermath.settle(url, folder, "one", evidence);
      }
    } finally {
      assertThat(isDone("umount", disk.toString())).isTrue();
    }
  }

  private static boolean isDone(String... command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0;
  }

  @Test
  void a_file_that_may_not_grow_is_reported_and_the_next_process_goes_on() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("limited.db");
    Evidence evidence = evidence("one");
    List<String> limit = List.of("bash", "-c", "ulimit -f 3072; exec \"$@\"", "bash");
    try (WorkerProcess worker = WorkerProcess.start(limit, url, folder, "one", SEED)) {
      worker.awaitReady();
      awaitError(worker, "Expected to ");
    }
    assertThat(answers("one")).isPositive();
    try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
      worker.awaitReady();
      awaitAnswers(worker, 200);
    }
    Aftermath.settle(url, folder, "one", evidence);
  }

  /** How a log is damaged. */
  private interface Damage {
    void to(WriteAheadLog log, Random random) throws IOException;
  }

  /** Kills a worker, damages its log, and says how many groups were there before and after. */
  private void damage(Damage damage, int mostLost) throws Exception {
    Path file = folder.resolve("torn.db");
    String url = "jdbc:sqlite:" + file;
    Random random = new Random(SEED);
    do {
      try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
        worker.awaitReady();
        awaitAnswers(worker, 400);
      }
    } while (WriteAheadLog.isCheckpointed(file));
    List<String> before = roots(copy(file));
    damage.to(WriteAheadLog.of(file), random);
    try (Journal journal = SqliteJournal.open(file, InstantSource.system())) {
      assertThat(Audit.verify(journal, _ -> {}).findings()).isEmpty();
    }
    List<String> after = roots(file);
    assertThat(after).isEqualTo(before.subList(0, after.size()));
    assertThat(before.size() - after.size()).isLessThanOrEqualTo(mostLost);
    try (WorkerProcess worker = WorkerProcess.start(url, folder, "one", SEED)) {
      worker.awaitReady();
      awaitAnswers(worker, 50);
    }
  }

  private Path copy(Path file) throws IOException {
    Path copy = folder.resolve("copy.db");
    Files.copy(file, copy);
    Files.copy(WriteAheadLog.of(file).file(), WriteAheadLog.of(copy).file());
    return copy;
  }

  private static List<String> roots(Path file) {
    try (Journal journal = SqliteJournal.open(file, InstantSource.system())) {
      return journal.groups(0, 1_000_000).stream()
          .map(g -> HexFormat.of().formatHex(g.root()))
          .toList();
    }
  }

  @Test
  void a_write_that_was_cut_off_costs_nothing() throws Exception {
    damage(WriteAheadLog::appendHalfAFrame, 0);
    Aftermath.settle("jdbc:sqlite:" + folder.resolve("torn.db"), folder, "one", evidence("one"));
  }

  @Test
  void a_torn_last_frame_costs_no_more_than_the_last_commit() throws Exception {
    damage(WriteAheadLog::cutLastFrame, 1);
  }

  @Test
  void a_spoilt_last_frame_costs_no_more_than_the_last_commit() throws Exception {
    damage(WriteAheadLog::spoilLastFrame, 1);
  }

  @Test
  void a_database_that_is_restarted_is_reported_and_then_it_goes_on() throws Exception {
    Evidence evidence = evidence("one", "two");
    try (FlushingPostgres postgres = new FlushingPostgres(folder.resolve("postgres"))) {
      String url = postgres.url();
      try (WorkerProcess one = WorkerProcess.start(url, folder, "one", SEED);
          WorkerProcess two = WorkerProcess.start(url, folder, "two", SEED)) {
        one.awaitReady();
        two.awaitReady();
        for (int i = 0; i < 2; i++) {
          awaitAnswers(one, 50);
          awaitAnswers(two, 50);
          postgres.stop();
          // Nobody need be told of a pause that is over at once, so it stands until somebody is.
          awaitToldOrComplaint(one, "see that it runs, then it goes on");
          postgres.start();
        }
        awaitAnswers(one, 50);
        awaitAnswers(two, 50);
        assertThat(errors("one")).allMatch(e -> e.startsWith("Expected "));
      }
      Aftermath.settle(url, folder, "one", evidence);
    }
  }

  @Test
  void a_node_that_is_cut_off_comes_back() throws Exception {
    Evidence evidence = evidence("one", "two");
    try (FlushingPostgres postgres = new FlushingPostgres(folder.resolve("postgres"))) {
      try (WorkerProcess one = WorkerProcess.start(postgres.url("one"), folder, "one", SEED);
          WorkerProcess two = WorkerProcess.start(postgres.url("two"), folder, "two", SEED)) {
        one.awaitReady();
        two.awaitReady();
        awaitAnswers(one, 50);
        int cut = 0;
        for (int i = 0; i < 30; i++) {
          cut += postgres.cutOff("one");
          one.run(50);
        }
        assertThat(cut).isGreaterThan(10);
        awaitAnswers(two, 50);
        awaitAnswers(one, 50);
        assertThat(errors("two")).isEmpty();
        assertThat(errors("one")).allMatch(e -> e.startsWith("Expected "));
      }
      Aftermath.settle(postgres.url(), folder, "one", evidence);
    }
  }

  @Test
  void a_node_whose_network_falls_silent_holds_nobody_up_and_comes_back() throws Exception {
    Evidence evidence = evidence("one", "two");
    try (FlushingPostgres postgres = new FlushingPostgres(folder.resolve("postgres"));
        Wire wire = new Wire(postgres.port())) {
      try (WorkerProcess one = WorkerProcess.start(postgres.url(wire), folder, "one", SEED);
          WorkerProcess two = WorkerProcess.start(postgres.url("two"), folder, "two", SEED)) {
        one.awaitReady();
        two.awaitReady();
        for (int i = 0; i < 4; i++) {
          awaitAnswers(one, 50);
          wire.cut();
          // It gives up what it was doing: callers whose commands only waited are not told.
          awaitComplaint(one, "see that it runs, then it goes on");
          awaitAnswers(two, 50);
          wire.mend();
        }
        awaitAnswers(one, 50);
        assertThat(errors("two")).isEmpty();
        assertThat(errors("one")).allMatch(e -> e.startsWith("Expected "));
      }
      Aftermath.settle(postgres.url(), folder, "one", evidence);
    }
  }
}
