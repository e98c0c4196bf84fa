package dev.signalbox.journal;

/**
 * An entry on its way to whoever follows the store.
 *
 * @param id of the entry's instance, also when it was archived
 * @param machine the journal's number of the machine that the instance has now; after a migration
 *     it is another version of the one it had
 */
public record CommittedEntry(EntryRow row, String id, long machine) {}
