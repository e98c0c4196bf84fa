package dev.signalbox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Why an entry is written.
 *
 * @param kind of the entry
 * @param cause the timer's id, the message's number or the effect's key; null for a command
 * @param key the command's idempotency key, or null
 * @param trace the caller's {@code traceparent}, or null
 */
record Origin(String kind, @Nullable Object cause, @Nullable String key, @Nullable String trace) {
  Origin(String kind, @Nullable Object cause, @Nullable String key) {
    this(kind, cause, key, null);
  }
}
