package dev.signalbox.cli;

import dev.signalbox.runtime.MigrationReport;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;

/** Says whom another version takes along and whom it would strand. */
final class StrandingTeller {
  private StrandingTeller() {}

  static void print(MigrationReport report, PrintWriter out) {
    report.clean().forEach((state, count) -> out.printf("%,10d in %s go along%n", count, state));
    report
        .reread()
        .forEach((invariant, count) ->
            out.printf(
                "%,10d begin with invariant %s where their history puts it%n", count, invariant));
    report.stranded().forEach(s -> out.printf("stranded: %s: %s%n", s.instance(), s.why()));
    if (report.more() > 0) {
      out.printf("stranded: %,d more%n", report.more());
    }
  }

  /** The same as fields of a line of JSON. */
  static Map<String, Object> fields(MigrationReport report) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("clean", report.clean());
    fields.put(
        "stranded",
        report.stranded().stream()
            .map(s -> Map.of("instance", s.instance(), "why", s.why()))
            .toList());
    fields.put("more", report.more());
    fields.put("reread", report.reread());
    return fields;
  }
}
