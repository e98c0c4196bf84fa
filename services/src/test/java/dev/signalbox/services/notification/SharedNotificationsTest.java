package dev.signalbox.services.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.SharedPostgres;
import dev.signalbox.services.sweep.SweepReport;
import dev.signalbox.services.sweep.SweepSettings;
import dev.signalbox.services.sweep.Sweeper;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Two nodes on one PostgreSQL serve the same subscription. */
class SharedNotificationsTest {
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final Actor OPERATOR = new Actor(Actor.Kind.USER, "kim", List.of("operator"));

  private static Notifications node(Signalbox box) {
    return new Notifications(
        box,
        Rules.standard(),
        Secrets.environment(Map.of("SIGNALBOX_SECRET_LAMP_KEY", KEY)),
        NotificationSettings.DEFAULT
            .to(UrlPolicy.LOOPBACK_AND_PRIVATE)
            .pacing(
                Duration.ofSeconds(2),
                new Backoff(Duration.ofMillis(10), Duration.ofMillis(50)),
                Duration.ofMillis(100)),
        InstantSource.system());
  }

  @Test
  void each_notification_is_delivered_and_almost_always_once() throws Exception {
    String url = SharedPostgres.flushingDatabase();
    try (Receiver receiver =
        new Receiver(List.of(WebhookSecret.of(KEY)), count -> count % 5 == 0 ? 500 : 200)) {
      try (Signalbox one = Signalbox.open(url);
          Signalbox two = Signalbox.open(url)) {
        one.publish(
            MachineReader.read(
                new Source(
                    "lamp.yaml",
                    """
                    machine: lamp
                    states:
                      DARK: { waits: for someone, on: { light: LIT } }
                      LIT: { waits: for someone, on: { dim: DARK } }
                    """)));
        try (Notifications first = node(one)) {
          first.subscribe(
              Subscription.webhook("lamps", receiver.url(), "lamp-key", Audience.AUDIT).trying(50),
              OPERATOR);
          try (Notifications second = node(two)) {
            for (int i = 0; i < 20; i++) {
              Signalbox box = i % 2 == 0 ? one : two;
              box.send(box.start("lamp", Map.of()).id(), "light");
            }
            Semaphore news = new Semaphore(0);
            for (int i = 0; i < 400 && receiver.accepted.size() < 40; i++) {
              boolean _ = news.tryAcquire(50, TimeUnit.MILLISECONDS);
            }
            Set<String> wanted = new HashSet<>();
            second.stream()
                .read(Cursor.START, NotificationStream.Filter.of(Audience.AUDIT), 1_000)
                .notifications()
                .forEach(n -> wanted.add(n.id()));
            assertThat(wanted).hasSize(40);
            assertThat(receiver.accepted.keySet()).isEqualTo(wanted);
            assertThat(receiver.refused).isEmpty();
            assertThat(receiver.replayed).hasSizeLessThan(5);
          }
        }
        assertThat(one.instances(Query.ALL.ofMachine("delivery").page(0, 100))).hasSize(40);
        SweepReport report =
            new Sweeper(two, Sweeper.standard(), SweepSettings.DEFAULT).sweep(false);
        assertThat(report.outcomes()).isEmpty();
        assertThat(report.scanned()).isGreaterThan(20);
      }
    }
  }
}
