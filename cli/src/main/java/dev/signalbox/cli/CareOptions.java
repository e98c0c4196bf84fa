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
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code up} does for its store besides answering. */
@SuppressWarnings("NullAway.Init")
final class CareOptions {
  /** How long a span waits for others to be sent with: somebody may be looking for it. */
  private static final Duration BETWEEN_SPANS = Duration.ofSeconds(1);

  /** A pause between sweeps. */
  static final class Minutes extends Between {
    Minutes() {
      super(0, 10_000);
    }
  }

  /** A pause between looks at the alerts. */
  static final class Seconds extends Between {
    Seconds() {
      super(1, 3_600);
    }
  }

  @Option(
      names = "--sweep-every",
      paramLabel = "MINUTES",
      defaultValue = "5",
      converter = Minutes.class,
      description = "The pause between two sweeps (default ${DEFAULT-VALUE}); 0 for none")
  private int sweepMinutes;

  /** How long what has ended stays. */
  static final class Days extends Between {
    Days() {
      super(0, 36_500);
    }
  }

  @Option(
      names = "--archive-after",
      paramLabel = "DAYS",
      defaultValue = "0",
      converter = Days.class,
      description = {
        "Take what ended longer ago than that out of the store, into files in archives/ of the",
        "data folder, once an hour (default 0: never)"
      })
  private int archiveDays;

  @Option(
      names = "--look-every",
      paramLabel = "SECONDS",
      defaultValue = "10",
      converter = Seconds.class,
      description = "How often alerts are compared with their numbers (default ${DEFAULT-VALUE})")
  private int lookSeconds;

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

  /**
   * What was asked for, without the spans. Nothing is begun for it, so that an option or a file
   * that is wrong leaves nothing behind.
   *
   * @throws CommandFailure with every problem of every file
   */
  Care care() {
    if (secrets != null && !Files.isDirectory(secrets)) {
      throw new CommandFailure(
          "Expected a folder after --webhook-secrets, but '%s' is none.".formatted(secrets));
    }
    Care standard = Care.STANDARD;
    List<String> problems = new ArrayList<>();
    List<AlertRule> called = read(alerts, AlertRule::read, standard.alerts(), problems);
    Rules told = read(notifications, Rules::read, standard.rules(), problems);
    List<SignedApprover> signers = read(approvers, SignedApprover::read, List.of(), problems);
    if (!problems.isEmpty()) {
      throw new CommandFailure(String.join("\n", problems));
    }
    NotificationSettings webhooks =
        privateWebhooks
            ? standard.webhooks().to(UrlPolicy.LOOPBACK_AND_PRIVATE)
            : standard.webhooks();
    return standard
        .every(
            Duration.ofMinutes(sweepMinutes), standard.tending(), Duration.ofSeconds(lookSeconds))
        .alerting(called)
        .notifying(told, secrets == null ? standard.secrets() : Secrets.folder(secrets), webhooks)
        .approvedBy(signers)
        .openMetrics(openMetrics)
        .keeping(Duration.ofDays(archiveDays));
  }

  /** What the file says; without one, or with one that is wrong, the standard. */
  private static <T> T read(
      @Nullable Path file, Function<Source, T> reader, T standard, List<String> problems) {
    if (file == null) {
      return standard;
    }
    Source source;
    try {
      source = new Source(file.toString(), Files.readString(file));
    } catch (IOException e) {
      problems.add("Expected to read %s, but %s.".formatted(file, Unusable.file(file, e)));
      return standard;
    }
    try {
      return reader.apply(source);
    } catch (DefinitionException e) {
      e.problems().forEach(problem -> problems.add(problem.render(source).stripTrailing()));
      return standard;
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
                          .setScheduleDelay(BETWEEN_SPANS)
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
