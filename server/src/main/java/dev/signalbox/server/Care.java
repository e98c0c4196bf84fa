package dev.signalbox.server;

import dev.signalbox.definition.Source;
import dev.signalbox.server.access.SignedApprover;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.notification.NotificationSettings;
import dev.signalbox.services.notification.Rules;
import dev.signalbox.services.notification.Secrets;
import io.opentelemetry.api.OpenTelemetry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a server does for its store besides answering.
 *
 * @param sweeps the pause between two sweeps; zero for none but those that are asked for
 * @param tending how often reminders and reservations that are over are looked for; zero for never
 * @param looking how often alerts are compared and readings taken; zero for never
 * @param alerts when somebody is called
 * @param rules who is told of what
 * @param secrets where the secrets of webhooks are found
 * @param webhooks where webhooks may go, and how patiently
 * @param approvers who may answer approvals by signed webhooks
 * @param telemetry where spans go; null for nowhere
 * @param openMetrics whether metrics may be read without a token
 * @param keeping how long what has ended stays in the store before it is archived; zero for ever
 */
public record Care(
    Duration sweeps,
    Duration tending,
    Duration looking,
    List<AlertRule> alerts,
    Rules rules,
    Secrets secrets,
    NotificationSettings webhooks,
    List<SignedApprover> approvers,
    @Nullable OpenTelemetry telemetry,
    boolean openMetrics,
    Duration keeping) {

  /** Only what is asked for happens. */
  public static final Care NONE =
      new Care(
          Duration.ZERO,
          Duration.ZERO,
          Duration.ZERO,
          List.of(),
          Rules.standard(),
          Secrets.environment(System.getenv()),
          NotificationSettings.DEFAULT,
          List.of(),
          null,
          false,
          Duration.ZERO);

  /** A sweep every five minutes, a look every ten seconds, the standard rules. */
  public static final Care STANDARD =
      NONE.every(Duration.ofMinutes(5), Duration.ofSeconds(30), Duration.ofSeconds(10))
          .alerting(standardAlerts());

  public Care {
    alerts = List.copyOf(alerts);
    approvers = List.copyOf(approvers);
  }

  /** The alerts of whoever names none: {@code alerts.yaml} beside this class. */
  public static List<AlertRule> standardAlerts() {
    try (InputStream in = Objects.requireNonNull(Care.class.getResourceAsStream("alerts.yaml"))) {
      return AlertRule.read(
          new Source("alerts.yaml", new String(in.readAllBytes(), StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Care every(Duration newSweeps, Duration newTending, Duration newLooking) {
    return new Care(
        newSweeps,
        newTending,
        newLooking,
        alerts,
        rules,
        secrets,
        webhooks,
        approvers,
        telemetry,
        openMetrics,
        keeping);
  }

  public Care alerting(List<AlertRule> others) {
    return new Care(
        sweeps,
        tending,
        looking,
        others,
        rules,
        secrets,
        webhooks,
        approvers,
        telemetry,
        openMetrics,
        keeping);
  }

  public Care notifying(Rules others, Secrets from, NotificationSettings settings) {
    return new Care(
        sweeps,
        tending,
        looking,
        alerts,
        others,
        from,
        settings,
        approvers,
        telemetry,
        openMetrics,
        keeping);
  }

  public Care approvedBy(List<SignedApprover> others) {
    return new Care(
        sweeps,
        tending,
        looking,
        alerts,
        rules,
        secrets,
        webhooks,
        others,
        telemetry,
        openMetrics,
        keeping);
  }

  public Care tracing(@Nullable OpenTelemetry spans) {
    return new Care(
        sweeps,
        tending,
        looking,
        alerts,
        rules,
        secrets,
        webhooks,
        approvers,
        spans,
        openMetrics,
        keeping);
  }

  public Care openMetrics(boolean open) {
    return new Care(
        sweeps, tending, looking, alerts, rules, secrets, webhooks, approvers, telemetry, open,
        keeping);
  }

  public Care keeping(Duration age) {
    return new Care(
        sweeps,
        tending,
        looking,
        alerts,
        rules,
        secrets,
        webhooks,
        approvers,
        telemetry,
        openMetrics,
        age);
  }
}
