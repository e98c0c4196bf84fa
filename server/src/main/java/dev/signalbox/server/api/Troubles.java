package dev.signalbox.server.api;

import dev.signalbox.journal.Due;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.alert.Alerts;
import dev.signalbox.services.sweep.Finding;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Schema;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What needs a look, as the overview lists it: alerts that fire, instances that stand still or are
 * late, and what the last sweep found and could not put right.
 */
final class Troubles {
  /** A timer that is later than this is a trouble; timers fire within milliseconds. */
  private static final long LATE_MS = 5_000;

  /** The most of a kind that are listed. */
  private static final int MOST = 20;

  private final Signalbox box;
  private final Alerts alerts;
  private final CareRoutes.Sweeps sweeps;

  Troubles(Signalbox box, Alerts alerts, CareRoutes.Sweeps sweeps) {
    this.box = box;
    this.alerts = alerts;
    this.sweeps = sweeps;
  }

  static Schema schema() {
    return Schema.object()
        .field(
            "kind",
            Schema.oneOf(
                "alert", "halted", "late", "invalid", "zombie", "orphan", "stuck", "unattended"))
        .field("severity", Schema.oneOf("error", "warning"))
        .field("instance", Schema.TEXT)
        .field("machine", Schema.TEXT)
        .field("states", Schema.listOf(Schema.TEXT))
        .field("message", Schema.TEXT);
  }

  /**
   * Instances in a trouble that the caller may see.
   *
   * @param more whether there may be more than were looked at
   */
  record Found(List<Instance> instances, boolean more) {
    long count() {
      return instances.size();
    }
  }

  /** Instances that have a status. */
  Found standing(InstanceRow.Status status, Caller caller) {
    return found(
        box.journal().query(Query.ALL.that(status).page(0, Query.MOST)), Query.MOST, caller);
  }

  /** Instances whose timers should have fired, the latest first. */
  Found late(long now, Caller caller) {
    List<Due> due = box.journal().due(now - LATE_MS, Query.MOST);
    Found found =
        found(box.journal().load(due.stream().map(Due::instance).toList()), Query.MOST, caller);
    return new Found(
        found.instances().stream()
            .filter(instance -> instance.status().equals("live"))
            .sorted(
                Comparator.<Instance>comparingLong(instance -> due(instance, now))
                    .thenComparing(Instance::id))
            .toList(),
        due.size() == Query.MOST);
  }

  private Found found(List<InstanceRow> rows, int most, Caller caller) {
    List<Instance> visible =
        rows.stream()
            .map(box::view)
            .filter(instance -> InstanceRoutes.isVisible(instance, caller))
            .toList();
    return new Found(visible, rows.size() == most);
  }

  /** The alerts that fire, for those who may see alerts. */
  List<Map<String, @Nullable Object>> firing(Caller caller) {
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (AlertRule rule : alerts.rules()) {
      Instance alert = box.find(Alerts.id(rule.name()));
      if (alert != null
          && alert.leaves().contains("FIRING")
          && InstanceRoutes.isVisible(alert, caller)) {
        views.add(
            trouble(
                "alert",
                rule.severity().equals("page") ? "error" : "warning",
                alert,
                "%s%s is %s, which is %s %s."
                    .formatted(
                        rule.metric(),
                        labels(rule),
                        number(alerts.value(rule)),
                        rule.above() ? "above" : "below",
                        number(rule.threshold()))));
      }
    }
    return views;
  }

  private static String labels(AlertRule rule) {
    return rule.labels().isEmpty()
        ? ""
        : rule.labels().entrySet().stream()
            .sorted(Map.Entry.comparingByKey())
            .map(label -> label.getKey() + " " + label.getValue())
            .collect(Collectors.joining(", ", " of ", ""));
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : "%.2f".formatted(value);
  }

  static List<Map<String, @Nullable Object>> halted(List<Instance> halted) {
    return halted.stream()
        .limit(MOST)
        .map(instance ->
            trouble(
                "halted",
                "error",
                instance,
                "One of its timers was refused; the refusals say why. Resume or cancel it."))
        .toList();
  }

  static List<Map<String, @Nullable Object>> late(List<Instance> late, long now) {
    return late.stream()
        .limit(MOST)
        .map(instance ->
            trouble(
                "late",
                "warning",
                instance,
                "A timer should have fired %,d s ago."
                    .formatted((now - due(instance, now)) / 1_000)))
        .toList();
  }

  private static long due(Instance instance, long now) {
    return instance.deadlines().stream().mapToLong(Instance.Deadline::due).min().orElse(now);
  }

  /** What the last sweep left to a person, unless the instance has moved on since. */
  List<Map<String, @Nullable Object>> left(Caller caller) {
    SweepReport last = sweeps.last();
    List<Map<String, @Nullable Object>> views = new ArrayList<>();
    for (SweepReport.Outcome outcome :
        last == null ? List.<SweepReport.Outcome>of() : last.outcomes()) {
      Finding finding = outcome.finding();
      Instance instance = outcome.corrected() ? null : box.find(finding.instance());
      if (instance != null
          && instance.sequence() == finding.sequence()
          && !instance.status().equals("ended")
          && InstanceRoutes.isVisible(instance, caller)
          && views.size() < MOST) {
        views.add(
            trouble(
                finding.kind(),
                finding.kind().equals("invalid") ? "error" : "warning",
                instance,
                finding.reason()));
      }
    }
    return views;
  }

  private static Map<String, @Nullable Object> trouble(
      String kind, String severity, Instance instance, String message) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("kind", kind);
    view.put("severity", severity);
    view.put("instance", instance.id());
    view.put("machine", instance.machine());
    view.put("states", instance.leaves());
    view.put("message", message);
    return view;
  }
}
