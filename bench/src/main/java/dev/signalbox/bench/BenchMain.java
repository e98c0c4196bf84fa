package dev.signalbox.bench;

import dev.signalbox.bench.kernel.KernelBench;
import java.util.List;

/** The entry of {@code signalbox bench NAME [--quick]}. */
public final class BenchMain {
  private static final List<Bench> BENCHES = List.of(new KernelBench());

  private BenchMain() {}

  public static void main(String[] args) throws Exception {
    List<String> words = List.of(args);
    boolean quick = words.contains("--quick");
    List<String> names = words.stream().filter(w -> !w.equals("--quick")).toList();
    if (names.size() == 1) {
      for (Bench bench : BENCHES) {
        if (bench.name().equals(names.getFirst())) {
          bench.run(quick);
          return;
        }
      }
    }
    System.err.println("Usage: signalbox bench NAME [--quick]");
    BENCHES.forEach(b -> System.err.printf("  %-10s %s%n", b.name(), b.describe()));
    System.exit(2);
  }
}
