package dev.signalbox.definition.sketch;

import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names made from prose in any script: its letters and digits, joined by one character. */
public final class Slug {
  private static final int LONGEST = 100;
  private static final Pattern WORD =
      Pattern.compile("[\\p{L}\\p{Nd}_](?:[\\p{L}\\p{Nd}_.-]*[\\p{L}\\p{Nd}_])?");

  private Slug() {}

  /** The text itself when it is a name already, else its slug; empty when it has no letters. */
  public static String name(String text, char joint) {
    String word = text.strip();
    return isWord(word) && word.length() <= LONGEST ? word : of(word, joint);
  }

  /** The name of a machine that has none but its file's. */
  public static String fileName(String path) {
    String file = path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    int dot = file.lastIndexOf('.');
    String name = name(dot > 0 ? file.substring(0, dot) : file, '-');
    return name.isEmpty() ? "machine" : name;
  }

  /** Whether the text is one word of letters, digits and inner {@code _ . -}. */
  static boolean isWord(String text) {
    return WORD.matcher(text).matches()
        && !text.contains("..")
        && text.codePoints().anyMatch(Character::isLetterOrDigit);
  }

  static String of(String text, char joint) {
    StringBuilder out = new StringBuilder();
    boolean gap = false;
    String plain = Normalizer.normalize(text, Normalizer.Form.NFC).toLowerCase(Locale.ROOT);
    for (int i = 0; i < plain.length(); ) {
      int c = plain.codePointAt(i);
      i += Character.charCount(c);
      if (Character.isLetterOrDigit(c)) {
        if (gap && !out.isEmpty()) {
          out.append(joint);
        }
        out.appendCodePoint(c);
        gap = false;
      } else if (!isMark(c) && c != '\'' && c != '’') {
        gap = true;
      }
    }
    if (out.codePointCount(0, out.length()) <= LONGEST) {
      return out.toString();
    }
    // The tail tells long texts with the same beginning apart.
    String tail = Integer.toHexString(text.hashCode());
    return out.substring(0, out.offsetByCodePoints(0, LONGEST - tail.length() - 1)) + joint + tail;
  }

  private static boolean isMark(int c) {
    int type = Character.getType(c);
    return type == Character.NON_SPACING_MARK
        || type == Character.COMBINING_SPACING_MARK
        || type == Character.ENCLOSING_MARK;
  }
}
