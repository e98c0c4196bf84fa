package dev.signalbox.journal;

import org.jspecify.annotations.Nullable;

/**
 * An entry of the journal.
 *
 * @param body empty when its instance was archived
 */
public record EntryRow(
    long position,
    long instance,
    Chain chain,
    long sequence,
    byte[] hash,
    byte[] body,
    @Nullable String key) {}
