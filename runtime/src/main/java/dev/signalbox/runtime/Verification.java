package dev.signalbox.runtime;

import java.util.List;

/**
 * What checking a journal gave.
 *
 * @param findings the first thousand, in the order in which they were met
 * @param more how many there are beyond those
 */
public record Verification(
    long groups, long entries, long instances, List<Finding> findings, long more) {

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
