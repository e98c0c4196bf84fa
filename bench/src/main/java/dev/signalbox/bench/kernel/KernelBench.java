package dev.signalbox.bench.kernel;

import dev.signalbox.bench.Bench;
import dev.signalbox.definition.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** {@code bench kernel}: transitions a second, single-threaded, beside four libraries. */
public final class KernelBench implements Bench {

  @Override
  public String name() {
    return "kernel";
  }

  @Override
  public String describe() {
    return "steps of the run lifecycle beside stateless4j, COLA, squirrel and Spring Statemachine";
  }

  @Override
  public void run(boolean quick) throws RunnerException {
    Collection<RunResult> results = new Runner(options(quick)).run();
    Map<String, Score> scores = new LinkedHashMap<>();
    for (RunResult result : results) {
      String label = result.getPrimaryResult().getLabel();
      var garbage = result.getSecondaryResults().get("gc.alloc.rate.norm");
      scores.put(
          label,
          new Score(
              label,
              result.getPrimaryResult().getScore(),
              result.getPrimaryResult().getScoreError(),
              garbage == null ? Double.NaN : garbage.getScore()));
    }
    print(scores);
  }

  private static Options options(boolean quick) {
    return new OptionsBuilder()
        .include("dev\\.signalbox\\.bench\\.kernel\\..*Benchmark\\..*")
        .mode(org.openjdk.jmh.annotations.Mode.Throughput)
        .timeUnit(java.util.concurrent.TimeUnit.SECONDS)
        .threads(1)
        .forks(quick ? 1 : 3)
        .warmupIterations(quick ? 4 : 5)
        .warmupTime(TimeValue.milliseconds(quick ? 500 : 1_000))
        .measurementIterations(quick ? 20 : 10)
        .measurementTime(TimeValue.milliseconds(quick ? 250 : 1_000))
        .addProfiler(GCProfiler.class)
        .jvmArgs("-Xmx1g", "-XX:+UseParallelGC", "--sun-misc-unsafe-memory-access=allow")
        .verbosity(VerboseMode.SILENT)
        .build();
  }

  private static void print(Map<String, Score> scores) {
    Score own = scores.get("flat");
    Score nested = scores.get("nested");
    if (own == null || nested == null) {
      throw new IllegalStateException("Signalbox was not measured.");
    }
    System.out.printf(
        "%-14s %18s %14s %12s %10s%n", "", "transitions/s", "± error", "bytes each", "ratio");
    List<Score> rows = new ArrayList<>(scores.values());
    rows.sort(Comparator.comparingDouble(Score::perSecond).reversed());
    for (Score row : rows) {
      System.out.printf(
          Locale.ROOT,
          "%-14s %,18.0f %,14.0f %12.0f %10.2f%n",
          switch (row.label) {
            case "flat" -> "signalbox";
            case "nested" -> "  3 levels, 2∥";
            default -> row.label;
          },
          row.perSecond,
          row.error,
          row.bytes,
          own.perSecond / row.perSecond);
    }
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("bench", "kernel");
    summary.put("transitions_per_s", (double) Math.round(own.perSecond));
    summary.put("error_per_s", (double) Math.round(own.error));
    summary.put("bytes_per_transition", (double) Math.round(own.bytes));
    for (String peer : List.of("stateless4j", "cola", "squirrel", "spring")) {
      Score score = scores.get(peer);
      if (score == null) {
        throw new IllegalStateException("Peer '" + peer + "' was not measured.");
      }
      summary.put("ratio_to_" + peer, Math.round(own.perSecond / score.perSecond * 100) / 100.0);
    }
    summary.put("nested_slower_by", Math.round(own.perSecond / nested.perSecond * 100) / 100.0);
    System.out.println(Json.text(summary));
  }

  private record Score(String label, double perSecond, double error, double bytes) {}
}
