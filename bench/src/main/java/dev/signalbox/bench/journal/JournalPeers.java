package dev.signalbox.bench.journal;

import dev.signalbox.bench.PeerProcess;
import dev.signalbox.bench.PeerProcess.Outcome;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The same lifecycle by other libraries, as their users would write it, on the same PostgreSQL.
 * Each is measured with more and more instances at a time, and counts where it is best.
 */
final class JournalPeers {
  private static final int CONNECTIONS = 32;

  private final EmbeddedPostgres server;
  private final List<Integer> crowds;
  private final long windowMillis;

  JournalPeers(EmbeddedPostgres server, boolean quick) {
    this.server = server;
    this.crowds = quick ? List.of(64, 256, 1_024) : List.of(16, 64, 256, 1_024);
    this.windowMillis = quick ? 1_500 : 8_000;
  }

  /** The peers, by their words on the command line of their process. */
  private enum Peer {
    DBOS("dbos", "DBOS, events sent"),
    DBOS_STEPS("dbos-steps", "DBOS, steps only"),
    FLOWABLE("flowable", "Flowable"),
    TEMPORAL("temporal", "Temporal, not durable");

    private final String word;
    private final String title;

    Peer(String word, String title) {
      this.word = word;
      this.title = title;
    }

    private String figure() {
      return word.replace('-', '_') + "_per_s";
    }
  }

  /** Measures them all, prints a row for each and adds them to the summary. */
  void measure(double ours, Map<String, Object> summary)
      throws SQLException, IOException, InterruptedException {
    System.out.printf("%nPeers on the same PostgreSQL; Temporal on its test server in memory%n");
    double dbos = 0;
    Map<String, Object> missing = new LinkedHashMap<>();
    for (Peer peer : Peer.values()) {
      switch (PeerProcess.run(limit(), words(peer))) {
        case Outcome.Measured(var lines) -> {
          double perSecond = best(peer, lines, ours);
          summary.put(peer.figure(), Math.round(perSecond));
          if (peer == Peer.DBOS || peer == Peer.DBOS_STEPS) {
            dbos = Math.max(dbos, perSecond);
          }
        }
        case Outcome.Missing(String reason) -> {
          System.out.printf("  %-22s not measured: %s%n", peer.title, reason);
          missing.put(peer.word, reason);
        }
      }
    }
    if (dbos > 0) {
      summary.put("ratio_to_dbos", Math.round(ours / dbos * 10) / 10.0);
    }
    if (!missing.isEmpty()) {
      summary.put("peers_missing", missing);
    }
  }

  /** Prints where the peer is best and gives how fast it is there. */
  private static double best(Peer peer, List<List<String>> lines, double ours) {
    double best = 0;
    String crowd = "";
    for (List<String> line : lines) {
      double perSecond = Double.parseDouble(line.get(1));
      if (perSecond > best) {
        best = perSecond;
        crowd = line.get(0);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "  %-22s %,10.0f /s   %s instances; ours is %.1f times that%n",
        peer.title,
        best,
        crowd,
        ours / best);
    return best;
  }

  private List<String> words(Peer peer) throws SQLException {
    List<String> words = new ArrayList<>();
    words.addAll(List.of("lifecycle", peer.word, database(peer), "" + CONNECTIONS));
    words.addAll(List.of("" + windowMillis, "" + windowMillis));
    crowds.forEach(crowd -> words.add("" + crowd));
    return words;
  }

  private Duration limit() {
    return Duration.ofMillis(30_000 + 3 * windowMillis * crowds.size());
  }

  /** A new database for the peer, the only one: vacuuming what went before would slow it down. */
  private String database(Peer peer) throws SQLException {
    String name = peer.word.replace('-', '_');
    try (Connection admin = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = admin.createStatement()) {
      List<String> old = new ArrayList<>();
      try (ResultSet names =
          statement.executeQuery(
              "select datname from pg_database where not datistemplate and datname <>"
                  + " 'postgres'")) {
        while (names.next()) {
          old.add(names.getString(1));
        }
      }
      for (String database : old) {
        statement.execute("drop database \"" + database + "\" with (force)");
      }
      statement.execute("create database " + name);
      statement.execute("checkpoint");
    }
    return server.getJdbcUrl("postgres", name);
  }
}
