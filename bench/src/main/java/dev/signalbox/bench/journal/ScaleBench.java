package dev.signalbox.bench.journal;

import dev.signalbox.bench.Bench;
import dev.signalbox.bench.TemporaryFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What commands cost as the number of live instances and the journal grow. */
public final class ScaleBench implements Bench {
  private static final String COUNTER =
      """
      machine: counter
      context:
        n: { type: int, default: 0 }
        name: { type: string, default: "a counter among many" }
      states:
        ON:
          after: { 24h: OFF }
          on: { tick: { assign: { n: ctx.n + 1 } }, off: OFF }
        OFF: { final: true }
      """;

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public String describe() {
    return "durable commands a second as live instances and the journal grow, with a 1 GB heap";
  }

  @Override
  public void run(boolean quick) throws Exception {
    long millis = quick ? 5_000 : 20_000;
    List<Long> sizes =
        quick ? List.of(1_000L, 50_000L, 200_000L) : List.of(1_000L, 100_000L, 1_000_000L);
    System.out.printf(Locale.ROOT, "heap %,d MB%n", Runtime.getRuntime().maxMemory() >> 20);
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("bench", "scale");
    double fastest = 0;
    double slowest = Double.MAX_VALUE;
    try (TemporaryFolder folder = TemporaryFolder.temporary("bench-scale-")) {
      Path file = folder.path().resolve("box.db");
      long live = 0;
      for (long size : sizes) {
        try (Signalbox box = Signalbox.open("jdbc:sqlite:" + file)) {
          box.publish(MachineReader.read(new Source("counter.yaml", COUNTER)));
          Crowd.start(box, "counter", live, size, _ -> Map.of());
          live = size;
          DirtyPages.settle();
          double perSecond = Crowd.disturb(box, "tick", size, 1_024, millis);
          System.out.printf(
              Locale.ROOT, "%,12d live instances %,12.0f commands/s%n", size, perSecond);
          summary.put("per_s_with_" + size, Math.round(perSecond));
          fastest = Math.max(fastest, perSecond);
          slowest = Math.min(slowest, perSecond);
        }
      }
      long start = System.nanoTime();
      try (Signalbox box = Signalbox.open("jdbc:sqlite:" + file)) {
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "opening with %,d live instances %.2f s%n", live, seconds);
        summary.put("open_s", Math.round(seconds * 100) / 100.0);
        if (!quick) {
          double perSecond = grown(box, live, millis);
          summary.put("per_s_with_10_million_entries", Math.round(perSecond));
          slowest = Math.min(slowest, perSecond);
        }
      }
    }
    summary.put("slowest_to_fastest", Math.round(slowest / fastest * 1_000) / 1_000.0);
    System.out.println(Json.text(summary));
  }

  /** Sends until the journal has ten million entries, then measures once more. */
  private static double grown(Signalbox box, long live, long millis) throws Exception {
    double entries = 0;
    long began = System.nanoTime();
    while (entries < 10_000_000 && System.nanoTime() - began < 600_000_000_000L) {
      entries += Crowd.disturb(box, "tick", live, 1_024, 10_000) * 12.5;
    }
    double perSecond = Crowd.disturb(box, "tick", live, 1_024, millis);
    System.out.printf(
        Locale.ROOT, "%,12.0f entries more     %,12.0f commands/s%n", entries, perSecond);
    return perSecond;
  }
}
