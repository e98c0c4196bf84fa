package dev.signalbox.services.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Problem;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.metrics.Metrics;
import dev.signalbox.services.notification.Audience;
import dev.signalbox.services.notification.Cursor;
import dev.signalbox.services.notification.Notification;
import dev.signalbox.services.notification.NotificationStream;
import dev.signalbox.services.notification.Rules;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alert rules over real metrics, with hysteresis and patience. */
class AlertsTest {
  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();

  private static final Source RULES =
      new Source(
          "alerts.yaml",
          """
          alerts:
            - name: too-many-lit
              metric: signalbox.instances
              labels: [machine=lamp, state=LIT]
              above: 3
              clear: 1
              for: 5m
              severity: page
          """);

  private static void until(Signalbox box, String id, String state) throws Exception {
    Semaphore news = new Semaphore(0);
    try (var _ = box.feed().onCommit(news::release)) {
      for (int i = 0; i < 300 && !box.instance(id).leaves().contains(state); i++) {
        boolean _ = news.tryAcquire(100, TimeUnit.MILLISECONDS);
        news.drainPermits();
      }
    }
    assertThat(box.instance(id).leaves()).containsExactly(state);
  }

  @Test
  void an_alert_waits_fires_once_and_clears_well_below_its_threshold() throws Exception {
    try (Signalbox box =
            Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
        Metrics metrics = new Metrics(box, 0, Duration.ZERO);
        Alerts alerts = new Alerts(box, metrics, AlertRule.read(RULES))) {
      box.publish(
          MachineReader.read(
              new Source(
                  "lamp.yaml",
                  """
                  machine: lamp
                  states:
                    DARK: { waits: for someone, on: { light: LIT } }
                    LIT: { waits: for someone, on: { dim: DARK } }
                  """)));
      String alert = Alerts.id("too-many-lit");
      for (int i = 0; i < 4; i++) {
        box.submit(new Command.Start("lamp", "l-" + i, Map.of(), Actor.SYSTEM, null));
      }
      light(box, 3);
      alerts.look();
      assertThat(box.instance(alert).leaves()).containsExactly("QUIET");
      box.send("l-3", "light");
      alerts.look();
      assertThat(box.instance(alert).leaves()).containsExactly("PENDING");
      clock.advance(Duration.ofMinutes(3));
      box.send("l-3", "dim");
      alerts.look();
      assertThat(box.instance(alert).leaves()).containsExactly("QUIET");
      box.send("l-3", "light");
      alerts.look();
      clock.advance(Duration.ofMinutes(5));
      until(box, alert, "FIRING");
      box.send("l-3", "dim");
      box.send("l-2", "dim");
      alerts.look();
      assertThat(box.instance(alert).leaves()).as("2 is not yet 1").containsExactly("FIRING");
      box.send("l-1", "dim");
      alerts.look();
      alerts.look();
      assertThat(box.instance(alert).leaves()).containsExactly("QUIET");
      List<Notification> told =
          new NotificationStream(box.feed(), Rules.standard())
              .read(Cursor.START, NotificationStream.Filter.of(Audience.USER), 100)
              .notifications();
      assertThat(told)
          .extracting(Notification::type)
          .containsExactly("alert.firing", "alert.resolved");
      assertThat(told.getFirst().data().toString()).contains("too-many-lit").contains("page");
    }
  }

  private static void light(Signalbox box, int count) {
    for (int i = 0; i < count; i++) {
      box.send("l-" + i, "light");
    }
  }

  @Test
  void rules_that_make_no_sense_are_refused_with_their_places() {
    assertThatThrownBy(() ->
            AlertRule.read(
                new Source(
                    "bad.yaml",
                    """
                    alerts:
                      - { name: a, metric: m, above: 1, below: 2 }
                      - { name: b, metric: m, above: 1, clear: 2 }
                      - { name: c, metric: m, above: many, for: soon, labels: [x] }
                      - { name: d, metric: signalbox_transitions_total, above: 1 }
                    """)))
        .isInstanceOfSatisfying(
            DefinitionException.class,
            e ->
                assertThat(e.problems())
                    .extracting(Problem::code)
                    .containsExactlyInAnyOrder(
                        "key-conflict",
                        "key-conflict",
                        "bad-number",
                        "bad-duration",
                        "wrong-type",
                        "bad-name"));
  }
}
