package dev.signalbox.definition.draw;

/**
 * How wide text is, without asking a font: the machine that draws may have none, and the one that
 * shows the picture has another. The widths are those of a wide sans-serif, so that text in any
 * font of the stack fits.
 */
final class Letters {
  static final double NAME = 13;
  static final double SMALL = 11;
  static final double LABEL = 11.5;

  /** Advance widths of the characters from space to tilde, in thousandths of the size. */
  private static final int[] ASCII = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, //
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, //
    1015, 684, 686, 722, 770, 667, 611, 778, 752, 295, 500, 667, 557, 863, 748, 787, //
    667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 337, 390, 838, 556, //
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, //
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838
  };

  private static final double BOLD = 1.1;

  private Letters() {}

  static double width(String text, double size) {
    return text.codePoints().mapToDouble(Letters::em).sum() * size;
  }

  static double boldWidth(String text, double size) {
    return width(text, size) * BOLD;
  }

  /** The text, cut with an ellipsis where it has more than so many characters. */
  static String clip(String text, int characters) {
    if (text.codePointCount(0, text.length()) <= characters) {
      return text;
    }
    return text.substring(0, text.offsetByCodePoints(0, characters - 1)).stripTrailing() + "…";
  }

  private static double em(int c) {
    if (c >= ' ' && c <= '~') {
      return ASCII[c - ' '] / 1000.0;
    }
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> isWide(c) ? 1.05 : c == '…' ? 1 : 0.8;
    };
  }

  private static boolean isWide(int c) {
    return Character.isIdeographic(c) || (c >= 0x1100 && c <= 0x115F) || c >= 0x2E80;
  }
}
