package dev.signalbox.bench;

import dev.signalbox.bench.journal.JournalBench;
import dev.signalbox.bench.journal.ScaleBench;
import dev.signalbox.bench.journal.TimersBench;
import dev.signalbox.bench.kernel.KernelBench;
import dev.signalbox.bench.server.ServerBench;
import dev.signalbox.bench.tasks.TasksBench;
import java.io.PrintStream;
import java.util.List;
import java.util.Set;

/** The entry of {@code signalbox bench NAME [--quick]}. */
public final class BenchMain {
  private static final List<Bench> BENCHES =
      List.of(
          new KernelBench(),
          new JournalBench(),
          new ScaleBench(),
          new TimersBench(),
          new TasksBench(),
          new ServerBench());

  /** Every benchmark ends with a line of JSON, so {@code --json} asks for nothing more. */
  private static final Set<String> OPTIONS = Set.of("--quick", "--json");

  private BenchMain() {}

  public static void main(String[] args) throws Exception {
    System.exit(run(List.of(args)));
  }

  /** Runs what the words ask for and gives the exit code. */
  static int run(List<String> words) throws Exception {
    if (words.contains("--help") || words.contains("-h")) {
      usage(System.out);
      return 0;
    }
    List<String> names = words.stream().filter(w -> !w.startsWith("-")).toList();
    for (String word : words) {
      if (word.startsWith("-") && !OPTIONS.contains(word)) {
        return wrong("Expected only the option --quick, but found '%s'.".formatted(word));
      }
    }
    if (names.size() != 1) {
      return wrong("Expected one benchmark, but found %d names.".formatted(names.size()));
    }
    for (Bench bench : BENCHES) {
      if (bench.name().equals(names.getFirst())) {
        bench.run(words.contains("--quick"));
        return 0;
      }
    }
    return wrong("Expected a benchmark, but there is no '%s'.".formatted(names.getFirst()));
  }

  private static int wrong(String message) {
    System.err.println(message);
    usage(System.err);
    return 2;
  }

  private static void usage(PrintStream out) {
    out.println("Usage: signalbox bench NAME [--quick]");
    out.println("Measure beside other libraries; a table, and a last line of JSON.");
    BENCHES.forEach(b -> out.printf("  %-10s %s%n", b.name(), b.describe()));
    out.println("  --quick    end within two minutes, with a larger error");
  }
}
