package dev.signalbox.definition.draw;

/** Counts in at most four characters: 999, 1.2k, 12k, 3.4M. */
final class Figures {
  private static final String[] UNITS = {"", "k", "M", "G", "T", "P", "E"};

  private Figures() {}

  static String text(long count) {
    if (count < 0) {
      return "?";
    }
    int unit = 0;
    long whole = count;
    long tenths = 0;
    while (whole >= 1000) {
      tenths = whole % 1000 / 100;
      whole /= 1000;
      unit++;
    }
    String point = unit > 0 && whole < 10 ? "." + tenths : "";
    return whole + point + UNITS[unit];
  }
}
