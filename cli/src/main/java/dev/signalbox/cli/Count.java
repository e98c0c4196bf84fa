package dev.signalbox.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an option that says how many. */
final class Count implements ITypeConverter<Integer> {
  @Override
  public Integer convert(String text) {
    try {
      int count = Integer.parseInt(text);
      if (count >= 1) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Told below, with the numbers that are too small.
    }
    throw new TypeConversionException(
        "Expected a whole number from 1 to %d, but found '%s'.".formatted(Integer.MAX_VALUE, text));
  }
}
