package dev.signalbox.server.api;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the meters stood over the last quarter of an hour, for people who look; whoever wants more
 * keeps it in Prometheus. Any thread may ask.
 */
public final class Readings {
  private static final int MOST = 90;

  private final MeterRegistry registry;
  private final InstantSource clock;
  private final Deque<Reading> readings = new ArrayDeque<>();
  private double lateness;
  private long fired;

  private record Reading(long at, Map<String, Double> values) {}

  public Readings(MeterRegistry registry, InstantSource clock) {
    this.registry = registry;
    this.clock = clock;
  }

  /** Keeps how the meters stand now. */
  public synchronized void take() {
    Map<String, Double> values = new LinkedHashMap<>();
    values.put("approvals_waiting", sum("signalbox.approvals.waiting"));
    values.put("oldest_approval", sum("signalbox.approvals.oldest.seconds") / 60);
    values.put("tasks_queued", sum("signalbox.instances", "machine", "task", "state", "QUEUED"));
    values.put("effects_pending", sum("signalbox.effects.pending"));
    values.put("timer_lateness", lateness());
    values.put("commands_waiting", sum("signalbox.commands.waiting"));
    readings.addLast(new Reading(clock.millis(), values));
    while (readings.size() > MOST) {
      readings.removeFirst();
    }
  }

  private double sum(String name, String... tags) {
    double sum = 0;
    for (Gauge gauge : registry.find(name).tags(tags).gauges()) {
      double value = gauge.value();
      sum += Double.isFinite(value) ? value : 0;
    }
    return sum;
  }

  /** How late the timers were that fired since the reading before, on average, in milliseconds. */
  private double lateness() {
    double total = 0;
    long count = 0;
    for (Timer timer : registry.find("signalbox.timer.lateness").timers()) {
      total += timer.totalTime(TimeUnit.MILLISECONDS);
      count += timer.count();
    }
    double mean = count > fired ? (total - lateness) / (count - fired) : 0;
    lateness = total;
    fired = count;
    return mean;
  }

  /** Moments and values of a meter, the oldest first. */
  synchronized List<List<Number>> of(String name) {
    List<List<Number>> points = new ArrayList<>();
    for (Reading reading : readings) {
      @Nullable Double value = reading.values.get(name);
      points.add(List.of(reading.at, value == null ? 0.0 : value));
    }
    return points;
  }
}
