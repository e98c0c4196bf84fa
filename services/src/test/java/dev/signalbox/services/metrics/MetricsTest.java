package dev.signalbox.services.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.ServiceMachines;
import dev.signalbox.testkit.ManualClock;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.hawkular.agent.prometheus.text.TextPrometheusMetricsProcessor;
import org.hawkular.agent.prometheus.types.Counter;
import org.hawkular.agent.prometheus.types.Gauge;
import org.hawkular.agent.prometheus.types.Histogram;
import org.hawkular.agent.prometheus.types.Metric;
import org.hawkular.agent.prometheus.types.MetricFamily;
import org.hawkular.agent.prometheus.walkers.CollectorPrometheusMetricsWalker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scrape, read by somebody else's parser, against what the journal's own entries count. */
class MetricsTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();

  private static final Source LAMP =
      new Source(
          "lamp.yaml",
          """
          machine: lamp
          states:
            DARK:
              waits: for someone
              on:
                light: LIT
                call: { to: CALLING, do: [ { perform: { effect: bell } } ] }
                end: GONE
            LIT: { after: { 1h: DARK }, on: { dim: DARK } }
            CALLING:
              waits: for the bell
              on: { bell.succeeded: DARK, bell.failed: DARK, bell.unknown: DARK }
            GONE: { final: true }
          """);

  private static void until(Signalbox box, BooleanSupplier condition) throws Exception {
    Semaphore news = new Semaphore(0);
    try (var _ = box.feed().onCommit(news::release)) {
      for (int i = 0; i < 300 && !condition.getAsBoolean(); i++) {
        boolean _ = news.tryAcquire(100, TimeUnit.MILLISECONDS);
        news.drainPermits();
      }
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  /** The scrape as numbers by name and labels; of a histogram its count and sum. */
  static Map<String, Double> parsed(String scrape) {
    CollectorPrometheusMetricsWalker walker = new CollectorPrometheusMetricsWalker();
    new TextPrometheusMetricsProcessor(
            new ByteArrayInputStream(scrape.getBytes(StandardCharsets.UTF_8)), walker)
        .walk();
    Map<String, Double> numbers = new HashMap<>();
    for (MetricFamily family : walker.getAllMetricFamilies()) {
      for (Metric metric : family.getMetrics()) {
        String key = family.getName() + new TreeMap<>(metric.getLabels());
        switch (metric) {
          case Counter counter -> numbers.put(key, counter.getValue());
          case Gauge gauge -> numbers.put(key, gauge.getValue());
          case Histogram histogram -> {
            numbers.put(key + ".count", (double) histogram.getSampleCount());
            numbers.put(key + ".sum", histogram.getSampleSum());
          }
          default -> throw new AssertionError(metric.toString());
        }
      }
    }
    return numbers;
  }

  @Test
  void every_number_of_a_scrape_is_what_the_journal_counts() throws Exception {
    try (Signalbox box =
            Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
        Metrics metrics = new Metrics(box, 0, Duration.ZERO)) {
      box.publish(MachineReader.read(LAMP));
      box.publish(ServiceMachines.SHELF, "approval");
      box.publish(ServiceMachines.SHELF, "task");
      for (int i = 0; i < 5; i++) {
        Map<String, Object> unhurried = Map.of("priority", "low");
        box.submit(new Command.Start("task", "t-" + i, unhurried, Actor.SYSTEM, null));
      }
      for (int i = 0; i < 30; i++) {
        String id = "l-" + i;
        box.submit(new Command.Start("lamp", id, Map.of(), Actor.SYSTEM, null));
        if (i % 3 == 0) {
          clock.advance(Duration.ofSeconds(2));
          box.send(id, "light");
        }
        if (i % 4 == 0) {
          box.send(id, "nonsense");
        }
        if (i % 5 == 1) {
          box.send(id, "call");
        }
        if (i % 7 == 2) {
          box.send(id, "end");
        }
      }
      box.submit(new Command.Pause("l-3", Command.Clocks.STOPPED, Actor.SYSTEM, null));
      clock.advance(Duration.ofMinutes(30));
      box.submit(new Command.Resume("l-3", Actor.SYSTEM, null));
      String approval = "a-1";
      box.submit(
          new Command.Start(
              "approval",
              approval,
              Map.of("subject", "l-1", "action", "x", "digest", "d", "requester", "r"),
              Actor.SYSTEM,
              null));
      box.submit(Command.Send.of(approval, "approve", Map.of("digest", "d")));
      clock.advance(Duration.ofMinutes(10));
      Map<String, Double> before = parsed(metrics.scrape());
      Map<String, Double> then = counted(box);
      assertThat(then)
          .containsEntry("signalbox_instances{machine=lamp, state=CALLING}", 4.0)
          .containsEntry("signalbox_instances{machine=approval, state=AWAITING_HUMAN}", 1.0)
          .containsEntry("signalbox_instances{machine=task, state=QUEUED}", 5.0);
      then.forEach((name, value) -> assertThat(before.get(name)).as(name).isEqualTo(value));
      assertThat(before)
          .containsEntry(
              "signalbox_effects_pending{effect=bell}",
              then.get("signalbox_instances{machine=lamp, state=CALLING}"))
          .containsEntry(
              "signalbox_approvals_waiting{}",
              then.get("signalbox_instances{machine=approval, state=AWAITING_HUMAN}"))
          .containsEntry(
              "signalbox_approvals_oldest_seconds{}",
              (clock.millis() - box.instance(approval).since()) / 1_000.0);
      assertThat(before.get("signalbox_approvals_oldest_seconds{}")).isEqualTo(600.0);
      assertThat(before).containsEntry("signalbox_commands_waiting{}", 0.0);

      box.handle(
          "bell",
          call ->
              call.instance().equals("l-1") ? Outcome.succeeded() : new Outcome.Failed(Map.of()));
      clock.advance(Duration.ofHours(1).plusSeconds(3));
      until(
          box,
          () ->
              box.journal().effects(0, 10).isEmpty()
                  && box.counts().stream().noneMatch(c -> c.leaves().contains("LIT")));

      Map<String, Double> numbers = parsed(metrics.scrape());
      Map<String, Double> wanted = counted(box);
      wanted.put(
          "signalbox_instances_halted{}",
          (double) box.instances(Query.ALL.that(InstanceRow.Status.HALTED)).size());
      assertThat(wanted).hasSizeGreaterThan(12);
      wanted.forEach(
          (name, value) -> assertThat(numbers.get(name)).as(name).isNotNull().isEqualTo(value));
      assertThat(numbers.keySet())
          .allSatisfy(name ->
              assertThat(
                      wanted.containsKey(name)
                          || name.startsWith("signalbox_effects_pending")
                          || name.startsWith("signalbox_approvals")
                          || name.startsWith("signalbox_commands")
                          || name.contains("_max"))
                  .as(name)
                  .isTrue());
    }
  }

  /**
   * The same numbers, counted from the groups of the journal in another way. A field that is not
   * there fails the test, which is what it is for.
   */
  @SuppressWarnings("NullAway")
  private static Map<String, Double> counted(Signalbox box) throws Exception {
    Map<String, Double> wanted = new HashMap<>();
    Map<String, Map<String, Long>> entered = new HashMap<>();
    Map<String, Long> due = new HashMap<>();
    Map<String, String> machineOf = new HashMap<>();
    for (CommittedGroup group : box.journal().groups(0, 100_000)) {
      for (EntryRow row : group.entries()) {
        Map<?, ?> body =
            (Map<?, ?>)
                dev.signalbox.definition.Json.parse(new String(row.body(), StandardCharsets.UTF_8));
        assertThat(body).isNotNull();
        String id = String.valueOf(body.get("instance"));
        if (body.get("machine") instanceof Map<?, ?> machine) {
          machineOf.put(id, String.valueOf(machine.get("name")));
        }
        String machine = machineOf.get(id);
        String kind = String.valueOf(body.get("kind"));
        long at = body.get("at") instanceof Long moment ? moment : 0;
        if (kind.equals("refusal")) {
          add(
              wanted,
              "signalbox_rejections_total{code=%s, machine=%s}"
                  .formatted(body.get("code"), machine));
          continue;
        }
        add(wanted, "signalbox_transitions_total{kind=%s, machine=%s}".formatted(kind, machine));
        if (kind.equals("effect")) {
          String name = String.valueOf(((Map<?, ?>) body.get("event")).get("name"));
          add(
              wanted,
              "signalbox_effects_total{effect=bell, machine=%s, outcome=%s}"
                  .formatted(machine, name.substring(5)));
        }
        if (kind.equals("timer")) {
          String name = "signalbox_timer_lateness_seconds{machine=%s}".formatted(machine);
          wanted.merge(name + ".count", 1.0, Double::sum);
          wanted.merge(
              name + ".sum", (at - due.get(id + body.get("cause"))) / 1_000.0, Double::sum);
        }
        Map<String, Long> since = entered.computeIfAbsent(id, _ -> new HashMap<>());
        for (Object microstep : list(body.get("microsteps"))) {
          Map<?, ?> step = (Map<?, ?>) microstep;
          for (Object state : list(step.get("exited"))) {
            String name =
                "signalbox_time_in_state_seconds{machine=%s, state=%s}".formatted(machine, state);
            wanted.merge(name + ".count", 1.0, Double::sum);
            wanted.merge(name + ".sum", (at - since.get(state)) / 1_000.0, Double::sum);
          }
          list(step.get("entered")).forEach(state -> since.put(String.valueOf(state), at));
        }
        if (body.get("timers") instanceof Map<?, ?> resumed && kind.equals("resume")) {
          long shift = (Long) resumed.get("shifted");
          due.replaceAll(
              (timer, moment) -> timer.startsWith(id + "after") ? moment + shift : moment);
        }
        for (Object change : list(body.get("timers"))) {
          if (((Map<?, ?>) change).get("scheduled") instanceof Map<?, ?> timer) {
            due.put(id + timer.get("id"), (Long) timer.get("due"));
          }
        }
        entered.put(id, since);
        wanted.keySet().removeIf(key -> key.startsWith("state of " + id + "/"));
        if (!Boolean.TRUE.equals(body.get("ended"))) {
          for (Object state : list(body.get("states"))) {
            wanted.put("state of " + id + "/" + machine + "/" + state, 1.0);
          }
        }
      }
    }
    for (String key : List.copyOf(wanted.keySet())) {
      if (key.startsWith("state of ")) {
        wanted.remove(key);
        String[] parts = key.split("/");
        add(wanted, "signalbox_instances{machine=%s, state=%s}".formatted(parts[1], parts[2]));
      }
    }
    return wanted;
  }

  private static void add(Map<String, Double> wanted, String name) {
    wanted.merge(name, 1.0, Double::sum);
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }
}
