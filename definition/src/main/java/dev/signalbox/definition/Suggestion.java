package dev.signalbox.definition;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The known word that a misspelt one was probably meant to be. */
public final class Suggestion {
  /** Beyond this many candidates a guess is not worth the time. */
  private static final int MOST_CANDIDATES = 2_000;

  private static final int LONGEST_WORD = 80;

  private Suggestion() {}

  /** {@code Did you mean 'x'?}, or empty when no candidate is near. */
  public static String hint(String word, Collection<String> candidates) {
    String nearest = nearest(word, candidates);
    return nearest == null ? "" : "Did you mean '" + nearest + "'?";
  }

  /**
   * The candidate with the fewest edits, at most one for three characters; null if none is near.
   */
  public static @Nullable String nearest(String word, Collection<String> candidates) {
    if (word.isEmpty() || word.length() > LONGEST_WORD) {
      return null;
    }
    int allowed = Math.min(3, word.length() / 3);
    String nearest = null;
    int best = allowed + 1;
    int seen = 0;
    for (String candidate : candidates) {
      if (seen++ == MOST_CANDIDATES) {
        break;
      }
      if (Math.abs(candidate.length() - word.length()) >= best) {
        continue;
      }
      int distance = candidate.equalsIgnoreCase(word) ? 0 : distance(word, candidate);
      if (distance < best) {
        best = distance;
        nearest = candidate;
      }
    }
    return nearest;
  }

  /** Insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
  static int distance(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int same = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + same);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      int[] spare = beforeLast;
      beforeLast = last;
      last = row;
      row = spare;
    }
    return last[b.length()];
  }
}
