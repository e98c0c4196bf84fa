package dev.signalbox.journal;

/**
 * A signed statement of where chains of groups ended, as the store keeps it.
 *
 * @param number the store's own; 0 before it is kept
 * @param text canonical JSON in UTF-8, which the runtime writes and reads
 */
public record Checkpoint(long number, byte[] text) {}
