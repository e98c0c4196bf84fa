package dev.signalbox.services.notification;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A shared secret of Standard Webhooks. Nothing shows it: it is not a text, and prints as stars.
 */
public final class WebhookSecret {
  private static final String PREFIX = "whsec_";
  private static final int SHORTEST = 24;
  private static final int LONGEST = 64;

  private final SecretKeySpec key;

  private WebhookSecret(byte[] bytes) {
    this.key = new SecretKeySpec(bytes, "HmacSHA256");
  }

  /**
   * The secret that the text writes: {@code whsec_} and 24 to 64 bytes in base64.
   *
   * @throws IllegalArgumentException when it is none; the message does not show it
   */
  public static WebhookSecret of(String text) {
    String base64 = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      bytes = new byte[0];
    }
    if (bytes.length < SHORTEST || bytes.length > LONGEST) {
      throw new IllegalArgumentException(
          "Expected a webhook secret to be whsec_ and %d to %d bytes in base64, but it is not."
              .formatted(SHORTEST, LONGEST));
    }
    return new WebhookSecret(bytes);
  }

  /** The signature of a message as the header has it: {@code v1,} and base64. */
  String sign(String id, long seconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update((id + "." + seconds + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java has HmacSHA256.", e);
    }
  }

  @Override
  public String toString() {
    return "***";
  }
}
