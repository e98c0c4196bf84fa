package dev.signalbox.bench.tasks;

import dev.signalbox.bench.PeerProcess;
import dev.signalbox.bench.PeerProcess.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Another library's queue, in a process of its own. */
record PeerQueue(String name) implements JobQueue {
  /** One for each worker, and as many for what else the library does. */
  private static final int CONNECTIONS_PER_WORKER = 2;

  @Override
  public Rates run(String url, int jobs, int workers) throws IOException, InterruptedException {
    List<String> words =
        List.of("jobs", name, url, "" + CONNECTIONS_PER_WORKER * workers, "" + jobs, "" + workers);
    return switch (PeerProcess.run(Duration.ofSeconds(60 + jobs / 100), words)) {
      case Outcome.Measured(var lines) -> {
        List<Double> rates = lines.getLast().stream().map(Double::valueOf).toList();
        yield new Rates(rates.get(0), rates.get(1), rates.get(2));
      }
      case Outcome.Missing(String reason) -> throw new IOException(reason);
    };
  }
}
