package dev.signalbox.services.metrics;

import dev.signalbox.journal.Count;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.FeedFollower;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** The numbers of one node and its store. docs/operating.md says what each of them means. */
public final class Metrics implements AutoCloseable {
  private static final int PAGE = 1_000;

  /** Beyond so many, pending effects are not counted further. */
  private static final int MOST_EFFECTS = 100_000;

  /** How old gauges may be where nobody looks more often. */
  private static final Duration FRESHNESS = Duration.ofSeconds(5);

  private final Signalbox box;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final FeedFollower follower;
  private final MultiGauge instances;
  private final MultiGauge effectsPending;
  private final AtomicLong approvalsWaiting = new AtomicLong();
  private final AtomicLong oldestApproval = new AtomicLong();
  private final AtomicLong halted = new AtomicLong();
  private final Duration freshness;
  private long gaugedAt = Long.MIN_VALUE;

  /** Counts what happens from now on. */
  public static Metrics of(Signalbox box) {
    return of(box, Duration.ZERO);
  }

  /**
   * Counts what happens from now on, for whoever looks so often: the gauges are as fresh.
   *
   * @param looking zero for nobody
   */
  public static Metrics of(Signalbox box, Duration looking) {
    boolean often = !looking.isZero() && looking.compareTo(FRESHNESS) < 0;
    return new Metrics(box, box.feed().end(), often ? looking : FRESHNESS);
  }

  /**
   * @param after counts what happened behind this position of the feed
   * @param freshness how old the gauges may be before the store is asked again
   */
  public Metrics(Signalbox box, long after, Duration freshness) {
    this.box = box;
    this.freshness = freshness;
    this.instances =
        MultiGauge.builder("signalbox.instances")
            .description("Instances that have not ended, by machine and innermost state")
            .register(registry);
    this.effectsPending =
        MultiGauge.builder("signalbox.effects.pending")
            .description("Effects that have not ended")
            .register(registry);
    registry.gauge("signalbox.commands.waiting", box, Signalbox::waiting);
    registry.gauge("signalbox.approvals.waiting", approvalsWaiting);
    registry.gauge("signalbox.approvals.oldest.seconds", oldestApproval, v -> v.get() / 1_000.0);
    registry.gauge("signalbox.instances.halted", halted);
    this.follower =
        new FeedFollower(
            "signalbox-metrics",
            box.feed(),
            after,
            Duration.ofSeconds(1),
            new EntryMeters(registry)::count);
  }

  /** Where others may add meters of their own. */
  public PrometheusMeterRegistry registry() {
    return registry;
  }

  /** Everything in the text format of Prometheus, up to what is committed now. */
  public String scrape() {
    refresh();
    return registry.scrape();
  }

  /** Catches up with the feed, and asks the store for the gauges when they are too old. */
  public synchronized void refresh() {
    while (follower.catchUp()) {
      // There is more.
    }
    long now = box.clock().millis();
    if (gaugedAt != Long.MIN_VALUE && now - gaugedAt < freshness.toMillis()) {
      return;
    }
    gaugedAt = now;
    gaugeInstances();
    gaugeEffects();
    gaugeApprovals(now);
    gaugeHalted();
  }

  private void gaugeHalted() {
    long count = 0;
    long after = 0;
    List<InstanceRow> page;
    do {
      page = box.journal().query(Query.ALL.that(InstanceRow.Status.HALTED).page(after, PAGE));
      count += page.size();
      after = page.isEmpty() ? after : page.getLast().number();
    } while (page.size() == PAGE);
    halted.set(count);
  }

  private void gaugeInstances() {
    Map<Long, String> names = new HashMap<>();
    for (PublishedMachine machine : box.journal().machines()) {
      names.put(machine.number(), machine.name());
    }
    Map<List<String>, Long> counted =
        new TreeMap<>((a, b) -> String.join("/", a).compareTo(String.join("/", b)));
    for (Count count : box.counts()) {
      for (String state : count.leaves()) {
        counted.merge(
            List.of(String.valueOf(names.get(count.machine())), state),
            count.instances(),
            Long::sum);
      }
    }
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    counted.forEach((key, value) ->
        rows.add(MultiGauge.Row.of(Tags.of("machine", key.get(0), "state", key.get(1)), value)));
    instances.register(rows, true);
  }

  private void gaugeEffects() {
    Map<String, Long> counted = new TreeMap<>();
    long after = 0;
    int seen = 0;
    List<EffectRow> page;
    do {
      page = box.journal().effects(after, PAGE);
      for (EffectRow effect : page) {
        counted.merge(effect.name(), 1L, Long::sum);
        after = effect.number();
      }
      seen += page.size();
    } while (page.size() == PAGE && seen < MOST_EFFECTS);
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    counted.forEach((name, value) -> rows.add(MultiGauge.Row.of(Tags.of("effect", name), value)));
    effectsPending.register(rows, true);
  }

  private void gaugeApprovals(long now) {
    long waiting = 0;
    long oldest = now;
    long after = 0;
    List<InstanceRow> page;
    do {
      page =
          box.journal()
              .query(
                  Query.ALL
                      .ofMachine("approval")
                      .in("AWAITING_HUMAN")
                      .that(InstanceRow.Status.LIVE)
                      .page(after, PAGE));
      for (InstanceRow row : page) {
        waiting++;
        oldest = Math.min(oldest, row.since());
        after = row.number();
      }
    } while (page.size() == PAGE);
    approvalsWaiting.set(waiting);
    oldestApproval.set(waiting == 0 ? 0 : now - oldest);
  }

  @Override
  public void close() {
    follower.close();
    registry.close();
  }
}
