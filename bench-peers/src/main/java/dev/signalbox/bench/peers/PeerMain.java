package dev.signalbox.bench.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;

/**
 * The entry of a peer's process: {@code lifecycle PEER URL CONNECTIONS WARM-UP WINDOW AT-A-TIME…}
 * or {@code jobs PEER URL CONNECTIONS COUNT WORKERS}.
 */
public final class PeerMain {
  private PeerMain() {}

  public static void main(String[] args) {
    int code = 0;
    try {
      run(List.of(args));
    } catch (Exception | LinkageError e) {
      System.err.println(reason(e));
      code = 1;
    }
    System.out.flush();
    // Runs are still going on; there is nothing to wait for.
    Runtime.getRuntime().halt(code);
  }

  private static void run(List<String> words) throws Exception {
    switch (words.isEmpty() ? "" : words.getFirst()) {
      case "lifecycle" -> lifecycle(words);
      case "jobs" -> jobs(words);
      default ->
          throw new IllegalArgumentException(
              "Expected to measure 'lifecycle' or 'jobs', but found %s.".formatted(words));
    }
  }

  private static void lifecycle(List<String> words) throws Exception {
    LongAdder transitions = new LongAdder();
    Peer peer = peer(words.get(1), pool(words.get(2), number(words.get(3))), transitions);
    Lives lives = new Lives(peer, transitions);
    for (String atATime : words.subList(6, words.size())) {
      lives.grow(number(atATime));
      lives.perSecond(number(words.get(4)));
      System.out.printf(Locale.ROOT, "%s\t%.1f%n", atATime, lives.perSecond(number(words.get(5))));
      System.out.flush();
    }
  }

  private static void jobs(List<String> words) throws Exception {
    DataSource source = pool(words.get(2), number(words.get(3)));
    JobPeer peer =
        switch (words.get(1)) {
          case "db-scheduler" -> new DbSchedulerPeer(source);
          case "jobrunr" -> new JobRunrPeer(source);
          default -> throw unknown(words.get(1));
        };
    System.out.println(Jobs.run(peer, source, number(words.get(4)), number(words.get(5))));
  }

  private static Peer peer(String name, DataSource source, LongAdder transitions) {
    return switch (name) {
      case "dbos" -> new DbosPeer(source, transitions, false);
      case "dbos-steps" -> new DbosPeer(source, transitions, true);
      case "flowable" -> new FlowablePeer(source, transitions);
      case "temporal" -> new TemporalPeer(transitions);
      default -> throw unknown(name);
    };
  }

  private static IllegalArgumentException unknown(String name) {
    return new IllegalArgumentException("Expected a peer, but there is no '%s'.".formatted(name));
  }

  /** A pool that opens connections as they are needed. */
  private static DataSource pool(String url, int connections) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(connections);
    config.setConnectionTimeout(60_000);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root.toString().lines().findFirst().orElse("");
  }
}
