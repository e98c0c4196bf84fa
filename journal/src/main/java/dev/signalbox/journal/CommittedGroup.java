package dev.signalbox.journal;

import java.util.List;

/**
 * A commit as the journal kept it.
 *
 * @param writer which of the store's writers made it; each has a chain of its own
 * @param previous the number of the writer's group before; 0 for its first
 * @param root of the writer's previous root and the entries' hashes, by {@link Hashing#root}
 * @param entries in the order in which they were written
 */
public record CommittedGroup(
    long number, long writer, long previous, long at, byte[] root, List<EntryRow> entries) {}
