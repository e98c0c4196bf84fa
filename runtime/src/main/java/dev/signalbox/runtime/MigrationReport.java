package dev.signalbox.runtime;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a migration would do to every live instance of a machine that has another version.
 *
 * @param clean how many would be taken along, by the innermost states they are in
 * @param stranded the first thousand that would not
 * @param more how many there are beyond those
 * @param reread by invariant that is new or means something else: for how many of those taken along
 *     it begins where their history puts it
 */
public record MigrationReport(
    Map<String, Long> clean, List<Stranded> stranded, long more, Map<String, Long> reread) {
  /** Beyond so many the rest is counted, not listed. */
  static final int MOST = 1_000;

  public MigrationReport {
    clean = Collections.unmodifiableMap(new TreeMap<>(clean));
    stranded = List.copyOf(stranded);
    reread = Collections.unmodifiableMap(new TreeMap<>(reread));
  }

  /** Whether every instance would be taken along. */
  public boolean isClean() {
    return stranded.isEmpty();
  }

  /**
   * An instance that can't be taken along as it stands.
   *
   * @param version it has
   * @param why which state, field or child has no place
   */
  public record Stranded(String instance, int version, List<String> states, String why) {}
}
