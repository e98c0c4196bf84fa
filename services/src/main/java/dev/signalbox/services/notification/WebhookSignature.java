package dev.signalbox.services.notification;

import java.util.ArrayList;
import java.util.List;

/** Signatures of Standard Webhooks: HMAC-SHA-256 over id, time and body, one for each secret. */
public final class WebhookSignature {
  public static final String ID = "webhook-id";
  public static final String TIMESTAMP = "webhook-timestamp";
  public static final String SIGNATURE = "webhook-signature";

  private WebhookSignature() {}

  /**
   * The value of the signature's header.
   *
   * @param seconds since 1970, as the timestamp's header has them
   * @param secrets each gives a signature, so that a receiver with any of them can verify
   */
  public static String of(String id, long seconds, byte[] body, List<WebhookSecret> secrets) {
    List<String> signatures = new ArrayList<>(secrets.size());
    for (WebhookSecret secret : secrets) {
      signatures.add(secret.sign(id, seconds, body));
    }
    return String.join(" ", signatures);
  }
}
