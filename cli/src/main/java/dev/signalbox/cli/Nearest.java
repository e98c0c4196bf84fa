package dev.signalbox.cli;

import java.util.Collection;
import java.util.List;

/**
 * Which of the known words somebody may have meant. Two words are as far apart as letters were left
 * out, put in, changed, or swapped with their neighbour (optimal string alignment); nothing is
 * nearer than a word that begins so.
 */
final class Nearest {
  private Nearest() {}

  /** Those that are nearest and not too far, in their order; none if all are. */
  static List<String> to(String typed, Collection<String> known) {
    int farthest = 1 + typed.length() / 4;
    int nearest = known.stream().mapToInt(word -> slips(typed, word)).min().orElse(farthest + 1);
    return nearest > farthest
        ? List.of()
        : known.stream().filter(word -> slips(typed, word) == nearest).toList();
  }

  private static int slips(String typed, String word) {
    boolean begun = typed.length() > 1 && word.startsWith(typed);
    return begun ? 0 : distance(typed, word);
  }

  static int distance(String one, String two) {
    int[][] apart = new int[one.length() + 1][two.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= two.length(); j++) {
        apart[i][j] = i == 0 || j == 0 ? i + j : fewest(apart, one, two, i, j);
      }
    }
    return apart[one.length()][two.length()];
  }

  private static int fewest(int[][] apart, String one, String two, int i, int j) {
    boolean same = one.charAt(i - 1) == two.charAt(j - 1);
    int fewest =
        Math.min(
            apart[i - 1][j - 1] + (same ? 0 : 1), 1 + Math.min(apart[i - 1][j], apart[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && one.charAt(i - 1) == two.charAt(j - 2)
            && one.charAt(i - 2) == two.charAt(j - 1);
    return swapped ? Math.min(fewest, apart[i - 2][j - 2] + 1) : fewest;
  }
}
