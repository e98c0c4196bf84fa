package dev.signalbox.server.access;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What never reached an instance: sign-ins and refused requests, a line of JSON each. It can't grow
 * without bound, and nobody's lines push away those of others:
 *
 * <ul>
 *   <li>What strangers do is in a file of its own, so however much they send, it is their own older
 *       lines that go.
 *   <li>Who is known has so many lines of each kind and code, and then a few an hour; the next line
 *       that is written says how many were left out.
 * </ul>
 *
 * The newest of both are in memory, and each file is turned over when it is full, which keeps the
 * last one beside it.
 */
public final class AuditLog {
  /** How many of the newest can be asked for. */
  public static final int MOST = 1_000;

  /** So many lines of one name, kind and code are written one after the other. */
  static final int BURST = 100;

  /** So many more are written an hour. */
  static final int AN_HOUR = 60;

  private static final int LONGEST = 200;
  private static final int MOST_OMITTED = 10_000;

  private final InstantSource clock;
  private final AuditFile known;
  private final AuditFile strangers;
  private final RateLimit shares;
  private final Map<String, Long> omitted = new LinkedHashMap<>();
  private long number;

  /**
   * @param folder where the files are; null keeps the newest in memory alone
   */
  public AuditLog(@Nullable Path folder, InstantSource clock) {
    this.clock = clock;
    this.known = new AuditFile(folder, "audit");
    this.strangers = new AuditFile(folder, "audit-strangers");
    this.shares = new RateLimit(AN_HOUR / 3_600.0, BURST, clock);
    this.number = Math.max(known.last(), strangers.last());
  }

  /**
   * Notes something.
   *
   * @param kind {@code sign-in}, {@code sign-out}, {@code webhook} or {@code refused}
   * @param who a name, or empty when nobody is known
   */
  public synchronized void note(
      String kind, String who, String from, String method, String path, int status, String code) {
    String share = who + " " + kind + " " + code;
    if (!who.isEmpty() && !shares.take(share)) {
      if (omitted.size() < MOST_OMITTED || omitted.containsKey(share)) {
        omitted.merge(share, 1L, Long::sum);
      }
      return;
    }
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("number", ++number);
    line.put("at", clock.millis());
    line.put("kind", kind);
    line.put("who", clipped(who));
    line.put("from", clipped(from));
    line.put("method", clipped(method));
    line.put("path", clipped(path));
    line.put("status", (long) status);
    line.put("code", code);
    Long left = omitted.remove(share);
    if (left != null) {
      line.put("omitted", left);
    }
    (who.isEmpty() ? strangers : known).add(line);
  }

  /**
   * The newest that fit, the youngest first.
   *
   * @param text in the address from or the path to which it went, or in its code
   */
  public synchronized List<Map<String, Object>> newest(
      int most, @Nullable String kind, @Nullable String who, @Nullable String text) {
    return Stream.concat(known.newest().stream(), strangers.newest().stream())
        .filter(line -> kind == null || kind.equals(line.get("kind")))
        .filter(line -> who == null || who.equals(line.get("who")))
        .filter(line -> text == null || has(line, text))
        .sorted(Comparator.comparingLong(AuditFile::number).reversed())
        .limit(most)
        .toList();
  }

  private static boolean has(Map<String, Object> line, String text) {
    return Stream.of("from", "path", "code")
        .anyMatch(name -> String.valueOf(line.get(name)).contains(text));
  }

  private static String clipped(String text) {
    String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    StringBuilder clean = new StringBuilder(shown.length());
    for (int i = 0; i < shown.length(); i++) {
      char c = shown.charAt(i);
      clean.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return clean.toString();
  }
}
