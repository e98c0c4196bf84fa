package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.OPERATOR;
import static dev.signalbox.services.system.Role.VIEWER;

import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.alert.Alerts;
import dev.signalbox.services.metrics.Metrics;
import dev.signalbox.services.sweep.Finding;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Routes over how the store fares: its numbers, what somebody is called for, what is in trouble.
 */
public final class CareRoutes {
  /** What Prometheus asks for. */
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final Signalbox box;
  private final Metrics metrics;
  private final Alerts alerts;
  private final Sweeps sweeps;
  private final boolean openMetrics;

  /** A sweep reads the whole store, so one does it at a time. */
  private final Semaphore sweeping = new Semaphore(1);

  /** Who sweeps. */
  public interface Sweeps {
    SweepReport sweep(boolean dryRun);

    /** The last one that was no dry run, or null before the first. */
    @Nullable SweepReport last();
  }

  /**
   * @param openMetrics whether metrics may be read without a token
   */
  public CareRoutes(
      Signalbox box, Metrics metrics, Alerts alerts, Sweeps sweeps, boolean openMetrics) {
    this.box = box;
    this.metrics = metrics;
    this.alerts = alerts;
    this.sweeps = sweeps;
    this.openMetrics = openMetrics;
  }

  public List<Route> routes() {
    Route.Draft numbers = Route.get("/metrics", "The numbers, in the text format of Prometheus");
    return List.of(
        (openMetrics ? numbers.open() : numbers.may(VIEWER, OPERATOR, ADMIN))
            .gives(200, "The numbers", "text/plain", Schema.TEXT)
            .by(this::scrape),
        Route.get("/alerts", "Every alert rule, and whether it fires")
            .anyone()
            .gives(Schema.object().field("alerts", Schema.listOf(Schema.named("Alert"))))
            .by(this::alerts),
        Route.get("/sweeps", "What the last sweep of this server found; null before the first")
            .may(VIEWER, OPERATOR, ADMIN)
            .gives(Schema.object().field("last", Schema.named("Sweep").orNull()))
            .by(this::last),
        Route.post(
                "/sweeps", "Look at every instance that has not ended, and put right what is not")
            .may(OPERATOR, ADMIN)
            .takes(
                Schema.object()
                    .maybe("dry_run", Schema.FLAG.described("only report; false if not said")))
            .gives(Schema.named("Sweep"))
            .by(this::sweep));
  }

  private Response scrape(Request request) {
    Replies.checkUnrestricted(request);
    return new Response(
        200,
        PROMETHEUS,
        Map.of(),
        new Response.Body.Bytes(
            metrics.scrape().getBytes(java.nio.charset.StandardCharsets.UTF_8)));
  }

  private Response alerts(Request request) {
    Replies.check(request, "alert");
    return Response.json(Map.of("alerts", alerts.rules().stream().map(this::view).toList()));
  }

  private Map<String, @Nullable Object> view(AlertRule rule) {
    Instance alert = box.find(Alerts.id(rule.name()));
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("rule", rule.name());
    view.put("severity", rule.severity());
    view.put("metric", rule.metric());
    view.put("labels", rule.labels());
    view.put("above", rule.above());
    view.put("threshold", rule.threshold());
    view.put("clear", rule.clear());
    view.put("for_ms", rule.pending().toMillis());
    view.put("value", alerts.value(rule));
    view.put("state", alert == null ? "quiet" : alert.leaf().toLowerCase(Locale.ROOT));
    view.put("since", alert == null ? null : alert.since());
    view.put("instance", Alerts.id(rule.name()));
    return view;
  }

  private Response last(Request request) {
    Replies.checkUnrestricted(request);
    SweepReport last = sweeps.last();
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("last", last == null ? null : view(last));
    return Response.json(view);
  }

  private Response sweep(Request request) throws IOException {
    Replies.checkUnrestricted(request);
    boolean dryRun = request.fields().only("dry_run").flag("dry_run", false);
    if (!sweeping.tryAcquire()) {
      throw ProblemException.of(
          429,
          "too-many-requests",
          "Expected to sweep the store, but someone else does so now.",
          "Wait until it is done.");
    }
    try {
      return Response.json(view(sweeps.sweep(dryRun)));
    } finally {
      sweeping.release();
    }
  }

  private static Map<String, @Nullable Object> view(SweepReport report) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("scanned", report.scanned());
    view.put("dry_run", report.dryRun());
    view.put("corrected", report.corrected());
    view.put("counts", report.counts());
    view.put("more", report.more());
    view.put("findings", report.outcomes().stream().map(CareRoutes::view).toList());
    return view;
  }

  private static Map<String, @Nullable Object> view(SweepReport.Outcome outcome) {
    Finding finding = outcome.finding();
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("kind", finding.kind());
    view.put("instance", finding.instance());
    view.put("machine", finding.machine());
    view.put("states", finding.states());
    view.put("reason", finding.reason());
    view.put("correction", finding.correction().word());
    view.put("corrected", outcome.corrected());
    view.put("note", outcome.note());
    return view;
  }
}
