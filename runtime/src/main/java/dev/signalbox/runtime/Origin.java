package dev.signalbox.runtime;

import org.jspecify.annotations.Nullable;

/**
 * Why an entry is written.
 *
 * @param kind of the entry
 * @param cause the timer's id, the message's number or the effect's key; null for a command
 * @param use the command's idempotency key, or null
 * @param trace the caller's {@code traceparent}, or null
 */
record Origin(String kind, @Nullable Object cause, @Nullable KeyUse use, @Nullable String trace) {
  Origin(String kind, Object cause) {
    this(kind, cause, null, null);
  }

  @Nullable String key() {
    return use == null ? null : use.key();
  }

  @Nullable String digest() {
    return use == null ? null : use.digest();
  }
}
