package dev.signalbox.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a whole number that has a least and a most. */
abstract class Between implements ITypeConverter<Integer> {
  private final int least;
  private final int most;

  Between(int least, int most) {
    this.least = least;
    this.most = most;
  }

  @Override
  public Integer convert(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Told below, with the numbers that are too small or too large.
    }
    throw new TypeConversionException(
        "Expected a whole number from %d to %d, but found '%s'.".formatted(least, most, text));
  }
}
