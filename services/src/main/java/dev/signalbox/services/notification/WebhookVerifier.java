package dev.signalbox.services.notification;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The receiver's side: whether a webhook is from who has the secret, fresh, and new. For receivers
 * in Java and for the tests of those who send. Any thread may use it.
 */
public final class WebhookVerifier {
  /** How far a webhook's time may be from the receiver's. */
  public static final Duration TOLERANCE = Duration.ofMinutes(5);

  private static final int REMEMBERED = 100_000;

  private final List<WebhookSecret> secrets;
  private final InstantSource clock;
  private final Map<String, Long> seen = new LinkedHashMap<>();

  /**
   * @param secrets any of them may have signed
   */
  public WebhookVerifier(List<WebhookSecret> secrets, InstantSource clock) {
    this.secrets = List.copyOf(secrets);
    this.clock = clock;
  }

  /** What is to be done with a webhook. */
  public sealed interface Verdict {
    /** It is genuine and new. */
    record Accepted(String id) implements Verdict {}

    /** It is genuine, and it was accepted before: say that it is there and do nothing. */
    record Replayed(String id) implements Verdict {}

    /** It proves nothing. */
    record Refused(String reason) implements Verdict {}
  }

  /**
   * Verifies a webhook.
   *
   * @param header gives a header's value by its name in small letters, or null
   */
  public Verdict verify(Function<String, @Nullable String> header, byte[] body) {
    String id = header.apply(WebhookSignature.ID);
    String timestamp = header.apply(WebhookSignature.TIMESTAMP);
    String given = header.apply(WebhookSignature.SIGNATURE);
    if (id == null || timestamp == null || given == null) {
      return new Verdict.Refused("Expected the headers of a webhook, but one is missing.");
    }
    long seconds;
    try {
      seconds = Long.parseLong(timestamp);
    } catch (NumberFormatException e) {
      return new Verdict.Refused("Expected the time in seconds.");
    }
    long now = clock.instant().getEpochSecond();
    if (seconds < now - TOLERANCE.toSeconds() || seconds > now + TOLERANCE.toSeconds()) {
      return new Verdict.Refused("Expected a fresh webhook, but its time is too far from now.");
    }
    if (!isSigned(id, seconds, body, given)) {
      return new Verdict.Refused("Expected a signature of a known secret, but there is none.");
    }
    return remember(id, now) ? new Verdict.Accepted(id) : new Verdict.Replayed(id);
  }

  private boolean isSigned(String id, long seconds, byte[] body, String given) {
    boolean signed = false;
    for (WebhookSecret secret : secrets) {
      byte[] expected = secret.sign(id, seconds, body).getBytes(StandardCharsets.UTF_8);
      for (String signature : given.split(" ")) {
        // Every comparison takes its time, whatever it finds.
        signed |= MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8));
      }
    }
    return signed;
  }

  /** Whether the id is new. The oldest of too many are forgotten. */
  private synchronized boolean remember(String id, long now) {
    if (seen.putIfAbsent(id, now) != null) {
      return false;
    }
    Iterator<String> oldest = seen.keySet().iterator();
    while (seen.size() > REMEMBERED && oldest.hasNext()) {
      oldest.next();
      oldest.remove();
    }
    return true;
  }
}
