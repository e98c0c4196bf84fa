package dev.signalbox.testkit;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * What a disk may have of files that were being written when the process or the power was gone,
 * given what they were before and what they would have been.
 *
 * <p>Who is killed leaves the bytes up to some place, because files are written from front to back.
 * Where the power goes, of what was not yet flushed any sector may be old or new. Between two
 * flushes that holds for one file alone: SQLite flushes the log before it touches the journal's
 * file, and the other way round before it begins the log anew.
 *
 * <ul>
 *   <li>Only the log and the keys differ: each is torn.
 *   <li>The journal's file differs, and the log is still the same or longer: the log is whole, and
 *       the file is torn.
 *   <li>Both differ, and the log was begun anew in between: nothing of it is torn.
 * </ul>
 */
final class TornFiles {
  private static final int SECTOR = 512;

  /** Bytes of a log that are others after it was begun anew. */
  private static final int LOG_HEADING = 32;

  private final RandomGenerator random;

  TornFiles(RandomGenerator random) {
    this.random = random;
  }

  /** The files by the ends of their names. */
  Map<String, byte[]> of(
      Map<String, byte[]> before, Map<String, byte[]> after, String journal, String log) {
    Map<String, byte[]> left = new HashMap<>(after);
    byte[] fileBefore = before.getOrDefault(journal, new byte[0]);
    byte[] fileAfter = after.getOrDefault(journal, new byte[0]);
    boolean sameFile = Arrays.equals(fileBefore, fileAfter);
    byte[] logBefore = before.getOrDefault(log, new byte[0]);
    byte[] logAfter = after.getOrDefault(log, new byte[0]);
    if (!sameFile && !isContinued(logBefore, logAfter)) {
      return left;
    }
    for (Map.Entry<String, byte[]> file : after.entrySet()) {
      boolean isWhole = sameFile ? file.getKey().equals(journal) : !file.getKey().equals(journal);
      if (!isWhole) {
        byte[] old = before.getOrDefault(file.getKey(), new byte[0]);
        byte[] torn = torn(old, file.getValue());
        if (file.getKey().equals(log) && torn.length >= LOG_HEADING) {
          // The heading of a log that is begun anew is flushed before anything behind it.
          System.arraycopy(logAfter, 0, torn, 0, Math.min(LOG_HEADING, logAfter.length));
        }
        left.put(file.getKey(), torn);
      }
    }
    return left;
  }

  private static boolean isContinued(byte[] before, byte[] after) {
    return before.length >= LOG_HEADING
        && after.length >= before.length
        && Arrays.equals(before, 0, LOG_HEADING, after, 0, LOG_HEADING);
  }

  private byte[] torn(byte[] before, byte[] after) {
    int from = Arrays.mismatch(before, after);
    if (from < 0) {
      return after.clone();
    }
    return random.nextBoolean() ? killed(before, after, from) : withoutPower(before, after, from);
  }

  /** The new bytes up to some place, and the old ones after it. */
  private byte[] killed(byte[] before, byte[] after, int from) {
    int end = random.nextInt(from, Math.max(from, after.length) + 1);
    byte[] left = Arrays.copyOf(before, Math.max(before.length, end));
    System.arraycopy(after, from, left, from, Math.max(0, Math.min(end, after.length) - from));
    return left;
  }

  /** Of each sector that differs, the new one or the old one. */
  private byte[] withoutPower(byte[] before, byte[] after, int from) {
    boolean grown = random.nextBoolean();
    byte[] left =
        Arrays.copyOf(before, grown ? Math.max(before.length, after.length) : before.length);
    int newOnes = random.nextInt(1, 8);
    for (int at = from / SECTOR * SECTOR; at < Math.min(left.length, after.length); at += SECTOR) {
      if (random.nextInt(8) < newOnes) {
        int length = Math.min(SECTOR, Math.min(left.length, after.length) - at);
        System.arraycopy(after, at, left, at, length);
      }
    }
    return left;
  }
}
