package dev.signalbox.services.alert;

import dev.signalbox.definition.Source;
import dev.signalbox.services.rule.RuleFile;
import dev.signalbox.services.rule.RuleItem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * When to call somebody.
 *
 * @param metric a meter's name, such as {@code signalbox.instances}; all that fit are added up
 * @param labels only meters with these labels
 * @param above whether a number above the threshold is trouble, or one below it
 * @param clear where the trouble is over, on the good side of the threshold or at it
 * @param pending for how long it must last before somebody is called
 * @param severity for people: {@code page}, {@code warn} or what they agree on
 */
public record AlertRule(
    String name,
    String metric,
    Map<String, String> labels,
    boolean above,
    double threshold,
    double clear,
    Duration pending,
    String severity) {

  private static final Pattern METRIC_OF_PROMETHEUS = Pattern.compile("^signalbox_|_total$");

  public AlertRule {
    labels = Map.copyOf(labels);
    if (above ? clear > threshold : clear < threshold) {
      throw new IllegalArgumentException(
          "Expected alert '%s' to clear on the good side of its threshold, but it would not."
              .formatted(name));
    }
  }

  boolean isTrouble(double value) {
    return above ? value > threshold : value < threshold;
  }

  boolean isOver(double value) {
    return above ? value <= clear : value >= clear;
  }

  /**
   * The rules of a YAML text: a list below {@code alerts}.
   *
   * @throws dev.signalbox.definition.DefinitionException with every problem
   */
  public static List<AlertRule> read(Source source) {
    return RuleFile.read(source, "alerts", AlertRule::rule);
  }

  private static @Nullable AlertRule rule(RuleItem item) {
    String name = item.named();
    String metric = item.required("metric");
    Map<String, String> labels = labels(item);
    Double above = item.number("above");
    Double below = item.number("below");
    Double clear = item.number("clear");
    Duration pending = item.duration("for", Duration.ZERO);
    String severity = item.text("severity");
    if (METRIC_OF_PROMETHEUS.matcher(metric).find()) {
      item.error(
          "bad-name",
          item.place("metric"),
          "Expected the meter's own name, but '%s' is Prometheus's.".formatted(metric),
          "Write dots where Prometheus has underscores, and no _total.");
    }
    if (item.has("above") == item.has("below")) {
      item.error("key-conflict", "above", "Expected 'above' or 'below', and not both.");
      return null;
    }
    if (above == null && below == null) {
      return null;
    }
    double threshold = above != null ? above : below == null ? 0 : below;
    double over = clear == null ? threshold : clear;
    if (above != null ? over > threshold : over < threshold) {
      item.error(
          "key-conflict", "clear", "Expected 'clear' on the good side of the threshold or at it.");
      return null;
    }
    return new AlertRule(
        name,
        metric,
        labels,
        above != null,
        threshold,
        over,
        pending,
        severity == null ? "warn" : severity);
  }

  /** Labels are texts such as {@code machine=task}. */
  private static Map<String, String> labels(RuleItem item) {
    Map<String, String> labels = new TreeMap<>();
    List<String> bad = new ArrayList<>();
    for (String label : item.texts("labels")) {
      int at = label.indexOf('=');
      if (at > 0) {
        labels.put(label.substring(0, at), label.substring(at + 1));
      } else {
        bad.add(label);
      }
    }
    if (!bad.isEmpty()) {
      item.error("wrong-type", "labels", "Expected labels such as machine=task.");
    }
    return labels;
  }
}
