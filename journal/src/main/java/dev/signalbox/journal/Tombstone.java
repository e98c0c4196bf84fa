package dev.signalbox.journal;

/**
 * What stays of an instance that was archived.
 *
 * @param machine the journal's number of the machine it had at last
 * @param sequence of its last entry
 * @param head the hash of its last entry
 * @param refusals how many refusals there were
 * @param refusalHead the hash of its last refusal
 * @param at when it was archived
 * @param file the SHA-256 of the file it is in, in hexadecimal
 */
public record Tombstone(
    long number,
    String id,
    long machine,
    long sequence,
    byte[] head,
    long refusals,
    byte[] refusalHead,
    long at,
    String file) {

  public static Tombstone of(InstanceRow row, long at, String file) {
    return new Tombstone(
        row.number(),
        row.id(),
        row.machine(),
        row.sequence(),
        row.head(),
        row.refusals(),
        row.refusalHead(),
        at,
        file);
  }
}
