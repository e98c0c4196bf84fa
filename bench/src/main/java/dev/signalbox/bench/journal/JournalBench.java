package dev.signalbox.bench.journal;

import dev.signalbox.bench.Bench;
import dev.signalbox.bench.BenchServer;
import dev.signalbox.bench.TemporaryFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Signalbox;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The run lifecycle through the public API, every transition durable before it is answered. */
public final class JournalBench implements Bench {
  static final String RUN =
      """
      machine: run
      context:
        tools: { type: list, items: string, default: [] }
      events:
        plan_ready: { data: { tools: { type: list, items: string } } }
      states:
        INIT: { on: { plan: PLANNING }, waits: for a plan }
        PLANNING:
          after: { 5m: HALTED }
          on:
            plan_ready: { to: EXECUTING, when: size(event.tools) > 0, assign: { tools: event.tools } }
        EXECUTING:
          after: { 30m: HALTED }
          on: { high_risk_action: AWAITING_APPROVAL, all_tools_passed: VERIFYING }
        AWAITING_APPROVAL: { after: { 24h: HALTED }, on: { approved: EXECUTING } }
        VERIFYING: { after: { 15m: HALTED }, on: { tests_passed: AUDITING } }
        AUDITING: { after: { 10m: HALTED }, on: { audit_passed: COMPLETE } }
        COMPLETE: { final: true }
        HALTED: { final: true }
      """;

  private static final int MANY = 1_024;
  private static final int FEW = 64;
  private static final int GROUP = 500;

  @Override
  public String name() {
    return "journal";
  }

  @Override
  public String describe() {
    return "durable transitions a second on SQLite and PostgreSQL, beside their own limits";
  }

  /**
   * How long is measured, in milliseconds.
   *
   * @param warmUp of a store, so that what is measured is compiled
   * @param alone for one instance
   * @param settling at half load, before it is measured: what is compiled anew for it takes a
   *     processor for many seconds
   * @param each for everything else
   */
  private record Windows(long warmUp, long alone, long settling, long each) {
    static final Windows QUICK = new Windows(8_000, 1_000, 1_000, 2_500);
    static final Windows FULL = new Windows(15_000, 5_000, 20_000, 20_000);
  }

  /**
   * What was seen on a store: the figures, and the bytes that its own limit has to write.
   *
   * @param flush what one fdatasync took in milliseconds, just before and after one was alone
   */
  private record Seen(
      double flush,
      Load.Result alone,
      Load.Result many,
      Load.Result half,
      int rowBytes,
      int entryBytes) {}

  @Override
  public void run(boolean quick) throws Exception {
    Windows windows = quick ? Windows.QUICK : Windows.FULL;
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("bench", "journal");
    try (TemporaryFolder folder = TemporaryFolder.temporary("bench-journal-")) {
      sqlite(folder.path(), windows, summary);
      postgres(folder.path(), windows, quick, summary);
    }
    System.out.println(Json.text(summary));
  }

  private static void sqlite(Path folder, Windows windows, Map<String, Object> summary)
      throws Exception {
    System.out.println("SQLite");
    Seen seen;
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"))) {
      seen = measure(box, folder, windows, () -> {});
    }
    long millis = windows.each;
    long cpu = Load.cpuNanos();
    double raw =
        RawSqlite.perSecond(
            folder.resolve("raw.db"), MANY, GROUP, seen.rowBytes, seen.entryBytes, millis);
    limit(raw, seen, (Load.cpuNanos() - cpu) / 1e3 / (raw * millis * 1.2e-3));
    summary.put("transitions_per_s", Math.round(seen.many.perSecond()));
    summary.put("ratio_to_sqlite_limit", ratio(seen.many.perSecond(), raw));
    latencies("sqlite", seen, summary);
  }

  private static void postgres(
      Path folder, Windows windows, boolean quick, Map<String, Object> summary) throws Exception {
    try (EmbeddedPostgres server = BenchServer.start(quick)) {
      System.out.printf("%nPostgreSQL%s%n", settings(server));
      Seen seen;
      try (Signalbox box = Signalbox.open(server.getJdbcUrl("postgres", "box"))) {
        seen = measure(box, folder, windows, () -> checkpoint(server));
      }
      double raw;
      try (RawPostgres limit =
          new RawPostgres(
              server.getJdbcUrl("postgres", "raw"), MANY, GROUP, seen.rowBytes, seen.entryBytes)) {
        limit.perSecond(windows.alone);
        checkpoint(server);
        raw = limit.perSecond(windows.each);
      }
      limit(raw, seen, Double.NaN);
      summary.put("postgres_transitions_per_s", Math.round(seen.many.perSecond()));
      summary.put("ratio_to_postgres_limit", ratio(seen.many.perSecond(), raw));
      latencies("postgres", seen, summary);
      new JournalPeers(server, quick).measure(seen.many.perSecond(), summary);
    }
  }

  /** Makes the databases and reads back what makes a commit durable. */
  private static String settings(EmbeddedPostgres server) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Connection admin = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = admin.createStatement()) {
      for (String setting : List.of("server_version", "fsync", "synchronous_commit")) {
        try (ResultSet value = statement.executeQuery("show " + setting)) {
          value.next();
          text.append(", ").append(setting).append(' ').append(value.getString(1));
        }
      }
      statement.execute("create database box");
      statement.execute("create database raw");
    }
    return text.toString();
  }

  /** Something that is done between two loads. */
  private interface Rest {
    void take() throws Exception;
  }

  /** Has the server write out what a load left in its buffers, as it does every few minutes. */
  private static void checkpoint(EmbeddedPostgres server) throws SQLException {
    try (Connection admin = DriverManager.getConnection(server.getJdbcUrl("postgres", "postgres"));
        Statement statement = admin.createStatement()) {
      statement.execute("checkpoint");
    }
  }

  private static Seen measure(Signalbox box, Path folder, Windows windows, Rest rest)
      throws Exception {
    AtomicLong serial = new AtomicLong();
    box.publish(MachineReader.read(new Source("run.yaml", RUN)));
    long millis = windows.each;
    new Load(box, MANY, serial).run(0, windows.warmUp);
    new Load(box, 1, serial).run(0, windows.alone);
    double before = flushMillis(folder);
    Load.Result alone = new Load(box, 1, serial).run(200, windows.alone);
    double flush = (before + flushMillis(folder)) / 2;
    System.out.printf(Locale.ROOT, "  one fdatasync %30s %8.3f ms%n", "p50", flush);
    row("1 instance", alone);
    row(FEW + " instances", new Load(box, FEW, serial).run(200, millis));
    rest.take();
    long groups = lastGroup(box);
    Load.Result many = new Load(box, MANY, serial).run(1_000, millis);
    row("%,d instances".formatted(MANY), many);
    long flushes = lastGroup(box) - groups;
    rest.take();
    DirtyPages.settle();
    Load.Result half =
        new Load(box, MANY, serial).paced(many.perSecond() / 2, windows.settling, millis);
    row("at half load", half);
    Load.Bytes bytes = new Load(box, 1, serial).bytes();
    System.out.printf(
        Locale.ROOT,
        "  an entry has %d bytes, a snapshot %d; %,.0f transitions a flush%n",
        bytes.entry(),
        bytes.snapshot(),
        many.perSecond() * (millis + 1_000) / 1e3 / Math.max(1, flushes));
    return new Seen(flush, alone, many, half, bytes.snapshot(), bytes.entry());
  }

  private static void limit(double raw, Seen seen, double cpuMicros) {
    System.out.printf(
        Locale.ROOT,
        "  %-18s %,10.0f /s   %60s%n  that is %.0f %% of the limit%n",
        "the store's limit",
        raw,
        Double.isNaN(cpuMicros) ? "" : "%.1f µs of CPU".formatted(cpuMicros),
        100 * seen.many.perSecond() / raw);
  }

  private static void latencies(String store, Seen seen, Map<String, Object> summary) {
    summary.put(store + "_fdatasync_ms", ratio(seen.flush, 1));
    summary.put(store + "_alone_p50_ms", ratio(seen.alone.latencies().millis(0.5), 1));
    summary.put(store + "_half_load_p50_ms", ratio(seen.half.latencies().millis(0.5), 1));
    summary.put(store + "_half_load_p99_ms", ratio(seen.half.latencies().millis(0.99), 1));
  }

  private static double ratio(double value, double to) {
    return Math.round(value / to * 1_000) / 1_000.0;
  }

  private static void row(String name, Load.Result result) {
    System.out.printf(
        Locale.ROOT,
        "  %-18s %,10.0f /s   p50 %8.3f ms   p99 %8.3f ms   %8.1f µs of CPU%n",
        name,
        result.perSecond(),
        result.latencies().millis(0.5),
        result.latencies().millis(0.99),
        result.cpuMicros());
  }

  /** The number of the newest group. */
  private static long lastGroup(Signalbox box) {
    long low = 0;
    long high = 1;
    while (!box.journal().groups(high, 1).isEmpty()) {
      low = high;
      high *= 2;
    }
    while (low + 1 < high) {
      long middle = (low + high) / 2;
      if (box.journal().groups(middle, 1).isEmpty()) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  private static double flushMillis(Path folder) throws Exception {
    Path file = folder.resolve("flush");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Latencies latencies = new Latencies();
      ByteBuffer page = ByteBuffer.allocate(4_096);
      for (int i = 0; i < 500; i++) {
        channel.write(page.clear(), i % 100 * 4_096L);
        long begin = System.nanoTime();
        channel.force(false);
        latencies.add(System.nanoTime() - begin);
      }
      return latencies.millis(0.5);
    }
  }
}
