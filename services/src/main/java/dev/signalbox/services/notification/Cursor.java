package dev.signalbox.services.notification;

/**
 * A place in the order of everything that is told: an entry's position, and which of the
 * notifications that the entry gives.
 */
public record Cursor(long position, int index) implements Comparable<Cursor> {
  public static final Cursor START = new Cursor(0, 0);

  /** After everything that the entry at a position gives. */
  public static Cursor after(long position) {
    return new Cursor(position, Integer.MAX_VALUE);
  }

  /**
   * The cursor that {@link #text} wrote; an event stream gives it as its last event's id.
   *
   * @throws IllegalArgumentException when the text is none
   */
  public static Cursor of(String text) {
    int dot = text.indexOf('.');
    try {
      long position = Long.parseLong(dot < 0 ? text : text.substring(0, dot));
      int index = dot < 0 ? Integer.MAX_VALUE : Integer.parseInt(text.substring(dot + 1));
      if (position >= 0 && index >= 0) {
        return new Cursor(position, index);
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new IllegalArgumentException(
        "Expected a cursor such as 1024.0, which the last notification has as its id.");
  }

  public String text() {
    return index == Integer.MAX_VALUE ? Long.toString(position) : position + "." + index;
  }

  @Override
  public int compareTo(Cursor other) {
    int by = Long.compare(position, other.position);
    return by != 0 ? by : Integer.compare(index, other.index);
  }
}
