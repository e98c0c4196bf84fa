package dev.signalbox.services.person;

import java.text.Normalizer;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How people are called. A name keeps its spelling; two spellings that people would take for one
 * name have the same normal form.
 */
public final class PersonName {
  private static final Pattern FIT =
      Pattern.compile("[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N} ._@+'-]{0,63}");

  /** Scripts that are written together. */
  private static final Set<Character.UnicodeScript> EAST_ASIAN =
      EnumSet.of(
          Character.UnicodeScript.HAN,
          Character.UnicodeScript.HIRAGANA,
          Character.UnicodeScript.KATAKANA,
          Character.UnicodeScript.HANGUL,
          Character.UnicodeScript.BOPOMOFO);

  private PersonName() {}

  /**
   * What all spellings of a name share: compatibility forms, case, marks that are not seen and the
   * width of spaces make no difference.
   */
  public static String normal(String name) {
    StringBuilder seen = new StringBuilder(name.length());
    Normalizer.normalize(name, Normalizer.Form.NFKC)
        .codePoints()
        .filter(c -> !isUnseen(c))
        .forEach(seen::appendCodePoint);
    // Upper case first: it is there that letters such as ß and the final sigma become one.
    String folded = seen.toString().toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    return Normalizer.normalize(folded, Normalizer.Form.NFKC).strip().replaceAll("\\s+", " ");
  }

  /** Whether the two are one name, however each is written. */
  public static boolean isSame(String one, String other) {
    return normal(one).equals(normal(other));
  }

  /** Controls, formats, fillers and variation selectors: nobody sees whether they are there. */
  private static boolean isUnseen(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL -> !Character.isWhitespace(c);
      case Character.FORMAT, Character.SURROGATE, Character.PRIVATE_USE, Character.UNASSIGNED ->
          true;
      default ->
          c == 0x034F
              || c == 0x115F
              || c == 0x1160
              || (c >= 0x17B4 && c <= 0x17B5)
              || (c >= 0x180B && c <= 0x180F)
              || c == 0x2800
              || c == 0x3164
              || c == 0xFFA0
              || (c >= 0xFE00 && c <= 0xFE0F)
              || (c >= 0xE0100 && c <= 0xE01EF);
    };
  }

  /** What is wrong with the name, in words; null when it is fit. */
  public static @Nullable String objection(String name) {
    if (!FIT.matcher(name).matches()) {
      return "Expected a name of at most 64 letters, digits, spaces and . _ @ + ' -, but found"
          + " another.";
    }
    if (!name.equals(Normalizer.normalize(name, Normalizer.Form.NFC))
        || name.codePoints().anyMatch(PersonName::isUnseen)) {
      return "Expected a name whose every character is seen, but found others in it.";
    }
    for (String word : name.split("[ ._@+'-]+")) {
      if (isMixed(word)) {
        return "Expected each word of a name in letters of one script, but found several in one.";
      }
    }
    return null;
  }

  /** Letters of different alphabets in one word look like what they are not. */
  private static boolean isMixed(String word) {
    Set<Character.UnicodeScript> scripts = EnumSet.noneOf(Character.UnicodeScript.class);
    word.codePoints()
        .filter(Character::isLetter)
        .mapToObj(Character.UnicodeScript::of)
        .filter(s -> s != Character.UnicodeScript.COMMON && s != Character.UnicodeScript.INHERITED)
        .forEach(scripts::add);
    return scripts.size() > 1 && !EAST_ASIAN.containsAll(scripts);
  }
}
