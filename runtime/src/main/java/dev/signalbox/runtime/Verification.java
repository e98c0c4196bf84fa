package dev.signalbox.runtime;

import java.util.List;

/**
 * What checking a journal gave.
 *
 * @param sealed entries that could not be replayed, because the key that opens them was not given
 *     or is destroyed; their hashes and chains were checked as all others
 * @param erased instances whose key was destroyed
 * @param findings the first thousand, in the order in which they were met
 * @param more how many there are beyond those
 */
public record Verification(
    long groups,
    long entries,
    long instances,
    long sealed,
    long erased,
    List<Finding> findings,
    long more) {

  public boolean isSound() {
    return findings.isEmpty();
  }

  /**
   * Something that is not as it was written.
   *
   * @param code in kebab-case, as docs/journal-format.md lists them
   * @param where which entry, instance, group or line
   */
  public record Finding(String code, String where, String message) {}
}
