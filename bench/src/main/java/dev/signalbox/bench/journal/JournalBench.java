package dev.signalbox.bench.journal;

import dev.signalbox.bench.Bench;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** The run lifecycle through the public API, every transition durable before it is answered. */
public final class JournalBench implements Bench {
  private static final String RUN =
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

  @Override
  public String name() {
    return "journal";
  }

  @Override
  public String describe() {
    return "durable transitions a second, beside the store's own limit";
  }

  @Override
  public void run(boolean quick) throws Exception {
    long millis = quick ? 5_000 : 20_000;
    Path folder = Files.createTempDirectory(Path.of("").toAbsolutePath(), "bench-journal-");
    try {
      sqlite(folder, millis);
    } finally {
      delete(folder);
    }
  }

  private void sqlite(Path folder, long millis) throws Exception {
    double fsync = fdatasyncMillis(folder);
    System.out.printf(Locale.ROOT, "one fdatasync        %,10.3f ms%n", fsync);
    Path file = folder.resolve("box.db");
    AtomicLong serial = new AtomicLong();
    double best;
    int rowBytes;
    int entryBytes;
    try (Signalbox box =
        Signalbox.open("jdbc:sqlite:" + file, Settings.DEFAULT, InstantSource.system())) {
      box.publish(MachineReader.read(new Source("run.yaml", RUN)));
      Load.Result alone = new Load(box, 1, serial).run(500, 2_000);
      row("1 instance", alone);
      Load.Result few = new Load(box, 64, serial).run(1_000, millis);
      row("64 instances", few);
      Load.Result many = new Load(box, 1_024, serial).run(2_000, millis);
      row("1,024 instances", many);
      best = many.perSecond();
      Load.Result half = new Load(box, 256, serial).paced(best / 2, 1_000, millis);
      row("at half load", half);
      List<CommittedGroup> groups = box.journal().groups(groupsSoFar(box) - 10, 10);
      entryBytes =
          (int)
              groups.stream()
                  .flatMap(g -> g.entries().stream())
                  .mapToInt(e -> e.body().length)
                  .average()
                  .orElse(500);
      rowBytes =
          (int)
              box.journal().query(Query.ALL).stream()
                  .mapToInt(i -> i.snapshot().length)
                  .average()
                  .orElse(300);
      System.out.printf(
          Locale.ROOT,
          "an entry of %d bytes, a snapshot of %d, %,d groups (one flush each)%n",
          entryBytes,
          rowBytes,
          groupsSoFar(box));
    }
    long cpu = Load.cpuNanos();
    double raw =
        RawSqlite.perSecond(folder.resolve("raw.db"), 1_024, 500, rowBytes, entryBytes, millis);
    System.out.printf(
        Locale.ROOT,
        "SQLite's limit       %,10.0f /s   %6.1f µs of CPU%n",
        raw,
        (Load.cpuNanos() - cpu) / 1e3 / (raw * millis * 1.2e-3));
    System.out.printf(
        Locale.ROOT,
        "{\"bench\":\"journal\",\"transitions_per_s\":%.0f,\"ratio_to_sqlite_limit\":%.3f}%n",
        best,
        best / raw);
  }

  private static long groupsSoFar(Signalbox box) {
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

  private static void row(String name, Load.Result result) {
    System.out.printf(
        Locale.ROOT,
        "%-20s %,10.0f /s   p50 %7.3f ms   p99 %7.3f ms   %6.1f µs of CPU%n",
        name,
        result.perSecond(),
        result.latencies().millis(0.5),
        result.latencies().millis(0.99),
        result.cpuMicros());
  }

  private static double fdatasyncMillis(Path folder) throws Exception {
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

  private static void delete(Path folder) throws Exception {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
