package dev.signalbox.journal;

import org.jspecify.annotations.Nullable;

/**
 * An entry to be written.
 *
 * @param hash of the chain's previous hash and the body, by {@link Hashing#chain}
 * @param body canonical JSON in UTF-8
 * @param key the idempotency key it answers, or null
 */
public record NewEntry(
    Chain chain, long sequence, byte[] hash, byte[] body, @Nullable String key) {}
