package dev.signalbox.journal;

/**
 * A machine in the store.
 *
 * @param number the store's own name for it; 0 before it is published
 * @param digest the SHA-256 of its canonical form, in hexadecimal
 * @param definition its text, in YAML
 * @param at when it was published
 */
public record PublishedMachine(
    long number, String name, int version, String digest, String definition, long at) {

  public PublishedMachine numbered(long assigned) {
    return new PublishedMachine(assigned, name, version, digest, definition, at);
  }
}
