package dev.signalbox.testkit;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What long simulations came to, one line of JSON for each seed on each store, so that a run that
 * was ended goes on where it was, and the lines of several runs add up. A seed whose line is there
 * is not run again.
 */
final class SimulationRecord {
  private final Path file;
  private final List<Map<?, ?>> lines = new ArrayList<>();
  private final Set<String> done = new HashSet<>();

  /**
   * @param file is made with the first line
   */
  SimulationRecord(Path file) throws IOException {
    this.file = file;
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        see(line);
      }
    }
  }

  private void see(String line) {
    try {
      Map<?, ?> read = (Map<?, ?>) Json.parse(line);
      if (read != null && done.add(place(read.get("store"), read.get("seed")))) {
        lines.add(read);
      }
    } catch (Json.SyntaxException e) {
      // Whoever wrote it was ended in the middle of it; the seed is run again.
    }
  }

  private static String place(@Nullable Object store, @Nullable Object seed) {
    return store + " " + seed;
  }

  boolean has(String store, long seed) {
    return done.contains(place(store, seed));
  }

  /** Writes down what a seed came to. */
  void add(String store, SimulationReport report, String revision, double processorSeconds)
      throws IOException {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("store", store);
    line.put("seed", report.seed());
    line.put("revision", revision);
    line.put("failures", report.faultCount());
    line.put("failures_reopened", report.faultsReopened());
    line.put("reopened", report.reopened());
    line.put("actions", report.actions());
    line.put("commands", report.commands());
    line.put("entries", report.entries());
    line.put("effects", report.effects());
    line.put("timers", report.timers());
    line.put("messages", report.messages());
    line.put("processor_ms", Math.round(processorSeconds * 1_000));
    Map<String, Object> faults = new TreeMap<>();
    report.faults().forEach((fault, count) -> faults.put(fault.word(), count));
    line.put("faults", faults);
    line.put("methods", report.methods());
    line.put("findings", report.findings());
    String text = Json.text(line);
    Files.writeString(file, text + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    see(text);
  }

  /** What the seeds of a store came to together. */
  Map<String, Object> sum(String store) {
    Map<String, Object> sum = new LinkedHashMap<>();
    TreeSet<Long> seeds = new TreeSet<>();
    Set<Object> revisions = new TreeSet<>();
    Map<String, Long> numbers = new LinkedHashMap<>();
    Map<String, Long> faults = new TreeMap<>();
    Map<String, Long> methods = new TreeMap<>();
    List<Object> findings = new ArrayList<>();
    for (Map<?, ?> line : lines) {
      if (store.equals(line.get("store"))) {
        seeds.add((Long) line.get("seed"));
        revisions.add(String.valueOf(line.get("revision")));
        line.forEach((name, value) -> {
          if (value instanceof Long number && !name.equals("seed")) {
            numbers.merge(String.valueOf(name), number, Long::sum);
          }
        });
        merge(faults, line.get("faults"));
        merge(methods, line.get("methods"));
        if (line.get("findings") instanceof List<?> found && !found.isEmpty()) {
          findings.add(Map.of("seed", String.valueOf(line.get("seed")), "findings", found));
        }
      }
    }
    sum.put("store", store);
    sum.put("seeds", ranges(seeds));
    sum.put("revisions", List.copyOf(revisions));
    sum.putAll(numbers);
    sum.put("faults", faults);
    sum.put("least_failed", methods.values().stream().mapToLong(n -> n).min().orElse(0));
    sum.put("methods", methods);
    sum.put("findings", findings);
    return sum;
  }

  private static void merge(Map<String, Long> into, @Nullable Object counts) {
    ((Map<?, ?>) Objects.requireNonNull(counts))
        .forEach((name, count) -> into.merge(String.valueOf(name), (Long) count, Long::sum));
  }

  private static String ranges(SortedSet<Long> seeds) {
    List<String> ranges = new ArrayList<>();
    for (Long seed : seeds) {
      if (!seeds.contains(seed - 1)) {
        long last = seed;
        while (seeds.contains(last + 1)) {
          last++;
        }
        ranges.add(last == seed ? String.valueOf(seed) : seed + "-" + last);
      }
    }
    return String.join(",", ranges);
  }
}
