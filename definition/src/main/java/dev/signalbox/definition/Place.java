package dev.signalbox.definition;

/**
 * A place in a source text.
 *
 * @param line from 1
 * @param column from 1, in characters
 */
public record Place(int line, int column) {
  public static final Place START = new Place(1, 1);
}
