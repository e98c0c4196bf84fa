package dev.signalbox.services.notification;

import java.time.Duration;

/**
 * Limits of notifications.
 *
 * @param timeout for a whole attempt: to connect, send and hear the answer
 * @param responseBytes how much of an answer's body is read; it is thrown away
 * @param attemptsAtOnce how many attempts of one subscription run at a time
 * @param openDeliveries how many deliveries of a subscription may be under way before reading on
 *     waits for them
 * @param backoff between attempts
 * @param poll how long a courier waits when no hint comes
 * @param urls where webhooks may go
 * @param seed of the random part of the backoff
 */
public record NotificationSettings(
    Duration timeout,
    int responseBytes,
    int attemptsAtOnce,
    int openDeliveries,
    Backoff backoff,
    Duration poll,
    UrlPolicy urls,
    long seed) {

  public static final NotificationSettings DEFAULT =
      new NotificationSettings(
          Duration.ofSeconds(15),
          64 * 1024,
          4,
          1_000,
          new Backoff(Duration.ofSeconds(5), Duration.ofHours(4)),
          Duration.ofSeconds(1),
          UrlPolicy.PUBLIC,
          0);

  public NotificationSettings {
    if (attemptsAtOnce < 1 || openDeliveries < 1 || openDeliveries > 1_000 || responseBytes < 0) {
      throw new IllegalArgumentException(
          "Expected at least one attempt at once, 1 to 1,000 open deliveries and no negative"
              + " sizes.");
    }
  }

  /** The same with other addresses allowed. */
  public NotificationSettings to(UrlPolicy policy) {
    return new NotificationSettings(
        timeout, responseBytes, attemptsAtOnce, openDeliveries, backoff, poll, policy, seed);
  }

  /** The same with another patience. */
  public NotificationSettings pacing(Duration newTimeout, Backoff newBackoff, Duration newPoll) {
    return new NotificationSettings(
        newTimeout, responseBytes, attemptsAtOnce, openDeliveries, newBackoff, newPoll, urls, seed);
  }

  /** Longer than any attempt takes. */
  Duration lease() {
    return timeout.multipliedBy(2).plusSeconds(1);
  }
}
