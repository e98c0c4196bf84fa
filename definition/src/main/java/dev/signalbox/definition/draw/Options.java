package dev.signalbox.definition.draw;

/**
 * How a machine is drawn.
 *
 * @param title whether the machine's name and version stand above the picture
 * @param details whether states show what they do on entry, on exit and while they are active;
 *     transitions without target are always shown
 * @param words whether lines say what they wait for; without, the picture is a small map of the
 *     states, and the words are tooltips
 * @param badges whether the layout keeps room for figures at states and transitions, so that a page
 *     can fill them in later without a new layout
 */
public record Options(
    Theme theme,
    Direction direction,
    boolean title,
    boolean details,
    boolean words,
    boolean badges,
    Highlight highlight) {

  /** A picture for a document. */
  public static final Options DEFAULT =
      new Options(Theme.AUTO, Direction.DOWN, true, true, true, false, Highlight.NONE);

  /** The colours. */
  public enum Theme {
    LIGHT,
    DARK,
    /** What the reader's system prefers. */
    AUTO
  }

  /** Where the flow goes. */
  public enum Direction {
    DOWN,
    RIGHT
  }

  public Options theme(Theme newTheme) {
    return new Options(newTheme, direction, title, details, words, badges, highlight);
  }

  public Options direction(Direction newDirection) {
    return new Options(theme, newDirection, title, details, words, badges, highlight);
  }

  public Options title(boolean shown) {
    return new Options(theme, direction, shown, details, words, badges, highlight);
  }

  public Options details(boolean shown) {
    return new Options(theme, direction, title, shown, words, badges, highlight);
  }

  public Options words(boolean shown) {
    return new Options(theme, direction, title, details, shown, badges, highlight);
  }

  public Options badges(boolean reserved) {
    return new Options(theme, direction, title, details, words, reserved, highlight);
  }

  /** With the highlight, and with room for its figures where it has some. */
  public Options highlight(Highlight newHighlight) {
    boolean figures = !newHighlight.counts().isEmpty() || !newHighlight.flows().isEmpty();
    return new Options(theme, direction, title, details, words, badges || figures, newHighlight);
  }
}
