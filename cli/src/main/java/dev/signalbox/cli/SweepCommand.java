package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.services.sweep.Finding;
import dev.signalbox.services.sweep.SweepReport;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code signalbox sweep}: finds instances in trouble and puts them right. */
@Command(
    name = "sweep",
    mixinStandardHelpOptions = true,
    description = {
      "Look at every instance: whether it is what its journal says, and where it has not ended "
          + "whether somebody takes care of it and it is not stuck.",
      "Corrections are entries with their reason. With --dry-run nothing changes. Exit code 1 "
          + "when something is left."
    })
@SuppressWarnings("NullAway.Init")
final class SweepCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreOptions store;

  @Option(names = "--dry-run", description = "Only tell what would be corrected")
  private boolean dryRun;

  @Option(names = "--json", description = "One line of JSON for each finding, and one at the end")
  private boolean json;

  @Override
  public Integer call() {
    SweepReport report = store.at(false, desk -> desk.sweep(dryRun));
    tell(report);
    long left = report.counts().values().stream().mapToLong(Long::longValue).sum();
    return left == report.corrected() ? 0 : 1;
  }

  private void tell(SweepReport report) {
    PrintWriter out = spec.commandLine().getOut();
    for (SweepReport.Outcome outcome : report.outcomes()) {
      Finding finding = outcome.finding();
      if (json) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("kind", finding.kind());
        line.put("instance", finding.instance());
        line.put("machine", finding.machine());
        line.put("states", finding.states());
        line.put("reason", finding.reason());
        line.put("correction", finding.correction().word());
        line.put("corrected", outcome.corrected());
        line.put("note", outcome.note());
        out.println(Json.text(line));
      } else {
        out.printf(
            "%s %s: %s (%s)%n",
            finding.kind(),
            finding.instance(),
            finding.reason(),
            outcome.corrected()
                ? "corrected: " + finding.correction().word()
                : finding.correction().word() + "; " + outcome.note());
      }
    }
    if (json) {
      Map<String, Object> line = new LinkedHashMap<>();
      line.put("scanned", report.scanned());
      line.put("findings", report.counts());
      line.put("corrected", report.corrected());
      line.put("more", report.more());
      line.put("dry_run", report.dryRun());
      out.println(Json.text(line));
    } else {
      if (report.more() > 0) {
        out.printf("and %,d more%n", report.more());
      }
      out.printf(
          "%,d instances, %,d corrected%s%n",
          report.scanned(), report.corrected(), report.dryRun() ? "; nothing was changed" : "");
    }
    out.flush();
  }
}
