package dev.signalbox.definition.expression;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was probably meant. */
final class Nearest {
  private static final int MOST = 2_000;

  private Nearest() {}

  /** The known name that is closest, when one is close enough to be a typo. */
  static Optional<String> to(String name, Collection<String> known) {
    String best = null;
    int bestDistance = 1 + Math.max(1, Math.min(name.length(), 64) / 3);
    int seen = 0;
    for (String candidate : known) {
      if (++seen > MOST) {
        break;
      }
      int distance = distance(name, candidate, bestDistance);
      if (distance < bestDistance) {
        bestDistance = distance;
        best = candidate;
      }
    }
    if (best == null && name.length() >= 4) {
      best = known.stream().limit(MOST).filter(k -> k.startsWith(name)).findFirst().orElse(null);
    }
    return Optional.ofNullable(best);
  }

  /** A sentence that offers the nearest name, or nothing. */
  static String hint(String prefix, String name, Collection<String> known) {
    return to(name, known).map(n -> " Did you mean `" + prefix + n + "`?").orElse("");
  }

  /** Edits (insert, delete, replace, swap) from one to the other, counted up to the bound. */
  private static int distance(String a, String b, int bound) {
    if (Math.abs(a.length() - b.length()) >= bound || a.length() > 64 || b.length() > 64) {
      return bound;
    }
    String from = a.toLowerCase(Locale.ROOT);
    String to = b.toLowerCase(Locale.ROOT);
    int[][] row = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          row[i][j] = i + j;
          continue;
        }
        int replaced = row[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        row[i][j] = Math.min(replaced, 1 + Math.min(row[i - 1][j], row[i][j - 1]));
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          row[i][j] = Math.min(row[i][j], row[i - 2][j - 2] + 1);
        }
      }
    }
    return row[from.length()][to.length()];
  }
}
