package dev.signalbox.services.alert;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.Repeater;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.services.metrics.Metrics;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Statistic;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks at the metrics by the rules, once or again and again. */
public final class Alerts implements AutoCloseable {
  private static final Actor ACTOR = new Actor(Actor.Kind.SYSTEM, "alerts", List.of("alerts"));

  private final Signalbox box;
  private final Metrics metrics;
  private final List<AlertRule> rules;
  private @Nullable Repeater looking;

  public Alerts(Signalbox box, Metrics metrics, List<AlertRule> rules) {
    this.box = box;
    this.metrics = metrics;
    this.rules = List.copyOf(rules);
    box.publish(ServiceMachines.SHELF, "alert");
    rules.forEach(this::begin);
  }

  /** The id of the instance that stands for a rule. */
  public static String id(String rule) {
    return "alert-" + rule;
  }

  public List<AlertRule> rules() {
    return rules;
  }

  private void begin(AlertRule rule) {
    Map<String, @Nullable Object> input = new LinkedHashMap<>();
    input.put("rule", rule.name());
    input.put("severity", rule.severity());
    input.put("for_ms", rule.pending().toMillis());
    if (box.find(id(rule.name())) == null) {
      Reply reply =
          box.submitForService(
                  "alert",
                  new Command.Start(
                      "alert", id(rule.name()), input, ACTOR, ServiceKey.of("rule-" + rule.name())))
              .join();
      if (reply instanceof Reply.Rejected(var rejection)) {
        throw new IllegalStateException(rejection.message());
      }
    }
  }

  /** Compares every rule's number once, and tells the instances that something changed for. */
  public void look() {
    metrics.refresh();
    for (AlertRule rule : rules) {
      Instance alert = box.find(id(rule.name()));
      if (alert == null) {
        continue;
      }
      double value = value(rule);
      boolean quiet = alert.leaves().contains("QUIET");
      if (quiet && rule.isTrouble(value)) {
        tell(alert, "trouble", value, rule);
      } else if (alert.leaves().contains("PENDING") && !rule.isTrouble(value)) {
        tell(alert, "over", value, rule);
      } else if (alert.leaves().contains("FIRING") && rule.isOver(value)) {
        tell(alert, "over", value, rule);
      }
    }
  }

  private void tell(Instance alert, String event, double value, AlertRule rule) {
    Map<String, Object> data =
        Map.of("value", value, "metric", rule.metric(), "for_ms", rule.pending().toMillis());
    // Another node may have told it already.
    Reply _ =
        box.carryOutForCaller(
            "alert",
            Command.Send.of(alert.id(), event, data).by(ACTOR).expecting(alert.sequence()));
  }

  /** The sum over all meters of the rule's name and labels; of a histogram its count. */
  public double value(AlertRule rule) {
    double sum = 0;
    for (Meter meter : metrics.registry().getMeters()) {
      if (meter.getId().getName().equals(rule.metric())
          && rule.labels().entrySet().stream()
              .allMatch(l -> l.getValue().equals(meter.getId().getTag(l.getKey())))) {
        for (Measurement measurement : meter.measure()) {
          if (measurement.getStatistic() == Statistic.VALUE
              || measurement.getStatistic() == Statistic.COUNT) {
            double value = measurement.getValue();
            sum += Double.isFinite(value) ? value : 0;
          }
        }
      }
    }
    return sum;
  }

  /** Looks again and again on a thread of its own, until this is closed. */
  public synchronized void start(Duration pause) {
    if (looking != null) {
      throw new IllegalStateException("It looks already.");
    }
    looking = Repeater.start("signalbox-alerts", pause, this::look);
  }

  @Override
  public synchronized void close() {
    if (looking != null) {
      looking.close();
    }
  }
}
