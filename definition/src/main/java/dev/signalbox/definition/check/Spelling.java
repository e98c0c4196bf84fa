package dev.signalbox.definition.check;

import java.util.Collection;
import java.util.Locale;

/** Finds the name that was probably meant. */
final class Spelling {
  private static final int LONGEST = 80;

  /** How many names are looked at, so that a text full of unknown names is still checked fast. */
  private static final int MOST = 1_000;

  private Spelling() {}

  /** "Did you mean 'X'?", or the other advice when no known name is near. */
  static String suggest(String wrong, Collection<String> known, String otherwise) {
    String best = null;
    int least = Integer.MAX_VALUE;
    for (String name : known.stream().limit(MOST).toList()) {
      int distance = distance(wrong.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
      if (distance < least) {
        least = distance;
        best = name;
      }
    }
    // A third of the letters may differ: enough for a slip, too little for another word.
    boolean near = best != null && least <= Math.max(1, Math.min(wrong.length(), 12) / 3);
    return near ? "Did you mean '" + best + "'?" : otherwise;
  }

  /** The number of letters to insert, remove, replace or swap with their neighbour. */
  private static int distance(String a, String b) {
    if (a.length() > LONGEST || b.length() > LONGEST || Math.abs(a.length() - b.length()) > 4) {
      return Integer.MAX_VALUE;
    }
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int cost = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + cost);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
