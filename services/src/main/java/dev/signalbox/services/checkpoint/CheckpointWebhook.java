package dev.signalbox.services.checkpoint;

import dev.signalbox.services.Sha256;
import dev.signalbox.services.notification.NotificationSettings;
import dev.signalbox.services.notification.Secrets;
import dev.signalbox.services.notification.WebhookClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A webhook that is given each checkpoint as the data of a CloudEvent, signed as all our webhooks
 * are. Its id is the checkpoint's SHA-256, so a receiver drops what it has seen.
 */
public final class CheckpointWebhook implements SecondPlace, AutoCloseable {
  private final String url;
  private final String secret;
  private final WebhookClient client;
  private final InstantSource clock;

  /**
   * @param secret the name of the secret that signs
   */
  public CheckpointWebhook(
      String url,
      String secret,
      NotificationSettings settings,
      Secrets secrets,
      InstantSource clock) {
    this.url = url;
    this.secret = secret;
    this.client = new WebhookClient(settings, secrets, clock);
    this.clock = clock;
  }

  @Override
  public String name() {
    return url;
  }

  @Override
  public void publish(byte[] checkpoint) throws IOException, InterruptedException {
    String id = Sha256.hex(checkpoint);
    String body =
        "{\"specversion\":\"1.0\",\"id\":\"%s\",\"source\":\"/signalbox\",\"type\":\"dev.signalbox.checkpoint\",\"time\":\"%s\",\"datacontenttype\":\"application/json\",\"data\":%s}"
            .formatted(id, clock.instant(), new String(checkpoint, StandardCharsets.UTF_8));
    WebhookClient.Answer answer =
        client.send(url, secret, id, body.getBytes(StandardCharsets.UTF_8));
    switch (answer) {
      case WebhookClient.Answer.Delivered _ -> {}
      case WebhookClient.Answer.Failed(String reason, long _) -> throw new IOException(reason);
      case WebhookClient.Answer.Gone(String reason) -> throw new IOException(reason);
    }
  }

  @Override
  public byte @Nullable [] last() {
    return null;
  }

  @Override
  public boolean remembers() {
    return false;
  }

  @Override
  public void close() {
    client.close();
  }
}
