package dev.signalbox.services.notification;

import org.jspecify.annotations.Nullable;

/**
 * A notification that could not be delivered, and why.
 *
 * @param id of the delivery, to send it once more or discard it
 * @param notification the id that the receiver knows it by
 * @param attempts how often it was tried
 * @param since when it was given up, in milliseconds since 1970
 * @param content the CloudEvent, as JSON values
 */
public record DeadLetter(
    String id,
    String subscription,
    String notification,
    long attempts,
    String reason,
    long since,
    @Nullable Object content) {}
