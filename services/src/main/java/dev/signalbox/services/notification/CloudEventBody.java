package dev.signalbox.services.notification;

import dev.signalbox.definition.Json;
import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import io.cloudevents.jackson.JsonFormat;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;

/** A notification as a CloudEvent 1.0 in JSON. */
public final class CloudEventBody {
  public static final String CONTENT_TYPE = "application/cloudevents+json";
  private static final String TYPE = "dev.signalbox.notification.";
  private static final JsonFormat FORMAT = new JsonFormat();

  private CloudEventBody() {}

  /** The same bytes for the same notification. */
  public static byte[] of(Notification notification) {
    CloudEvent event =
        CloudEventBuilder.v1()
            .withId(notification.id())
            .withSource(
                URI.create(
                    "/instances/"
                        + URLEncoder.encode(notification.instance(), StandardCharsets.UTF_8)))
            .withType(TYPE + notification.type())
            .withSubject(notification.instance())
            .withTime(Instant.ofEpochMilli(notification.at()).atOffset(ZoneOffset.UTC))
            .withExtension("audience", notification.audience().word())
            .withExtension("rule", notification.rule())
            .withData(
                "application/json",
                Json.text(notification.asMap()).getBytes(StandardCharsets.UTF_8))
            .build();
    return FORMAT.serialize(event);
  }
}
