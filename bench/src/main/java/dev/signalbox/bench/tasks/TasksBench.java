package dev.signalbox.bench.tasks;

import dev.signalbox.bench.Bench;
import dev.signalbox.bench.BenchServer;
import dev.signalbox.definition.Json;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code bench tasks}: trivial jobs through eight workers on PostgreSQL, a queue at a time. */
public final class TasksBench implements Bench {
  private static final int WORKERS = 8;

  private static final List<JobQueue> QUEUES =
      List.of(
          new SignalboxQueue("signalbox"), new PeerQueue("db-scheduler"), new PeerQueue("jobrunr"));

  @Override
  public String name() {
    return "tasks";
  }

  @Override
  public String describe() {
    return "tasks a second through 8 workers on PostgreSQL, beside db-scheduler and JobRunr";
  }

  @Override
  public void run(boolean quick) throws Exception {
    int jobs = quick ? 20_000 : 100_000;
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("bench", "tasks");
    summary.put("jobs", jobs);
    Map<String, Object> missing = new LinkedHashMap<>();
    try (EmbeddedPostgres server = BenchServer.start(quick)) {
      System.out.printf(Locale.ROOT, "%,d jobs, %d workers, one in 20 fails once%n", jobs, WORKERS);
      System.out.printf("%-16s %14s %18s %16s%n", "", "jobs/s", "first attempts/s", "enqueued/s");
      for (JobQueue queue : QUEUES) {
        String word = queue.name().replace('-', '_');
        create(server, word);
        try {
          JobQueue.Rates rates = queue.run(server.getJdbcUrl("postgres", word), jobs, WORKERS);
          System.out.printf(
              Locale.ROOT,
              "%-16s %,14.0f %,18.0f %,16.0f%n",
              queue.name(),
              rates.jobs(),
              rates.firstAttempts(),
              rates.enqueued());
          summary.put(word + "_jobs_per_s", Math.round(rates.jobs()));
          summary.put(word + "_first_attempts_per_s", Math.round(rates.firstAttempts()));
        } catch (IOException e) {
          System.out.printf("%-16s not measured: %s%n", queue.name(), e.getMessage());
          missing.put(queue.name(), String.valueOf(e.getMessage()));
        }
        drop(server, word);
      }
    }
    if (!missing.isEmpty()) {
      summary.put("peers_missing", missing);
    }
    System.out.println(Json.text(summary));
  }

  private static void create(EmbeddedPostgres server, String database) throws SQLException {
    execute(server, "create database " + database);
    execute(server, "checkpoint");
  }

  /** Vacuuming what a queue left would slow the next one down. */
  private static void drop(EmbeddedPostgres server, String database) throws SQLException {
    execute(server, "drop database " + database + " with (force)");
  }

  private static void execute(EmbeddedPostgres server, String sql) throws SQLException {
    try (Connection admin = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = admin.createStatement()) {
      statement.execute(sql);
    }
  }
}
