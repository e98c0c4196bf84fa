package dev.signalbox.cli;

import dev.signalbox.definition.DefinitionException;
import dev.signalbox.definition.Source;
import dev.signalbox.server.Care;
import dev.signalbox.server.access.SignedApprover;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.notification.NotificationSettings;
import dev.signalbox.services.notification.Rules;
import dev.signalbox.services.notification.Secrets;
import dev.signalbox.services.notification.UrlPolicy;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code up} does for its store besides answering. */
@SuppressWarnings("NullAway.Init")
final class CareOptions {
  @Option(
      names = "--sweep-every",
      paramLabel = "MINUTES",
      defaultValue = "5",
      description = "The pause between two sweeps (default ${DEFAULT-VALUE}); 0 for none")
  private int sweepMinutes;

  @Option(
      names = "--alerts",
      paramLabel = "FILE",
      description = "Alert rules in YAML, instead of the standard ones")
  private @Nullable Path alerts;

  @Option(
      names = "--notifications",
      paramLabel = "FILE",
      description = "Rules of who is told of what, in YAML, instead of the standard ones")
  private @Nullable Path notifications;

  @Option(
      names = "--webhook-secrets",
      paramLabel = "FOLDER",
      description = "A file for each secret (default: the variables SIGNALBOX_SECRET_NAME)")
  private @Nullable Path secrets;

  @Option(
      names = "--approval-webhooks",
      paramLabel = "FILE",
      description = "Who may answer approvals by signed webhooks, with the names of their secrets")
  private @Nullable Path approvers;

  @Option(
      names = "--private-webhooks",
      description = "Let webhooks go to loopback and private addresses too")
  private boolean privateWebhooks;

  @Option(
      names = "--traces",
      paramLabel = "URL",
      description = "Send spans there, OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces")
  private @Nullable String traces;

  @Option(names = "--open-metrics", description = "Let metrics be read without a token")
  private boolean openMetrics;

  Care care(@Nullable OpenTelemetrySdk telemetry) {
    if (sweepMinutes < 0 || sweepMinutes > 10_000) {
      throw new CommandFailure(
          "Expected 0 to 10000 minutes after --sweep-every, but found %d.".formatted(sweepMinutes));
    }
    Care standard = Care.STANDARD;
    NotificationSettings webhooks =
        privateWebhooks
            ? standard.webhooks().to(UrlPolicy.LOOPBACK_AND_PRIVATE)
            : standard.webhooks();
    return standard
        .every(Duration.ofMinutes(sweepMinutes), standard.tending(), standard.looking())
        .alerting(alerts == null ? standard.alerts() : read(alerts, AlertRule::read))
        .notifying(
            notifications == null ? standard.rules() : read(notifications, Rules::read),
            secrets == null ? standard.secrets() : Secrets.folder(secrets),
            webhooks)
        .approvedBy(approvers == null ? List.of() : read(approvers, SignedApprover::read))
        .tracing(telemetry)
        .openMetrics(openMetrics);
  }

  private static <T> T read(Path file, Function<Source, T> reader) {
    Source source;
    try {
      source = new Source(file.toString(), Files.readString(file));
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected to read %s, but it can't be read: %s.".formatted(file, e.getMessage()));
    }
    try {
      return reader.apply(source);
    } catch (DefinitionException e) {
      StringBuilder text = new StringBuilder();
      e.problems().forEach(problem -> text.append(problem.render(source)));
      throw new CommandFailure(text.toString().stripTrailing());
    }
  }

  /** Sends spans away in batches; null where nobody wants them. Closing it sends the last ones. */
  @Nullable OpenTelemetrySdk telemetry() {
    if (traces == null) {
      return null;
    }
    try {
      Resource resource =
          Resource.getDefault()
              .merge(
                  Resource.create(Attributes.builder().put("service.name", "signalbox").build()));
      return OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .setResource(resource)
                  .addSpanProcessor(
                      BatchSpanProcessor.builder(
                              OtlpHttpSpanExporter.builder().setEndpoint(traces).build())
                          .build())
                  .build())
          .build();
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(
          "Expected an address such as http://127.0.0.1:4318/v1/traces after --traces, but found '%s'."
              .formatted(traces));
    }
  }
}
