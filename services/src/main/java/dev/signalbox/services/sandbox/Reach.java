package dev.signalbox.services.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What a process may reach besides the programs of the machine.
 *
 * @param folder where it begins, under the name that it knows
 * @param shown what it sees there: the folder itself, or a copy of it
 * @param writable whether it may change what it sees there
 * @param network whether it has the machine's network; otherwise it has none
 * @param readable further files and folders that it sees as they are, and can't change
 * @param changeable further files and folders that it sees and may change
 * @param hidden what it does not see, wherever it lies within what is shown
 * @param own what it sees although it lies within something hidden, and can't change
 */
public record Reach(
    Path folder,
    Path shown,
    boolean writable,
    boolean network,
    List<Path> readable,
    List<Path> changeable,
    List<Path> hidden,
    List<Path> own) {

  /**
   * @throws IllegalArgumentException when a path is not absolute
   */
  public Reach {
    readable = List.copyOf(readable);
    changeable = List.copyOf(changeable);
    hidden = List.copyOf(hidden);
    own = List.copyOf(own);
    List<Path> all = new ArrayList<>(List.of(folder, shown));
    all.addAll(readable);
    all.addAll(changeable);
    all.addAll(hidden);
    all.addAll(own);
    for (Path each : all) {
      if (!each.isAbsolute()) {
        throw new IllegalArgumentException(
            "Expected absolute paths in what a process may reach, but found '%s'.".formatted(each));
      }
    }
  }

  /** The folder alone, to be read. */
  public static Reach reading(Path folder) {
    return new Reach(folder, folder, false, false, List.of(), List.of(), List.of(), List.of());
  }

  /** The folder alone, to be read and changed. */
  public static Reach writing(Path folder) {
    return reading(folder).writable(true);
  }

  public Reach writable(boolean may) {
    return new Reach(folder, shown, may, network, readable, changeable, hidden, own);
  }

  public Reach network(boolean has) {
    return new Reach(folder, shown, writable, has, readable, changeable, hidden, own);
  }

  /** With a copy in the folder's place. */
  public Reach showing(Path copy) {
    return new Reach(folder, copy, writable, network, readable, changeable, hidden, own);
  }

  public Reach alsoReading(List<Path> more) {
    return new Reach(
        folder, shown, writable, network, with(readable, more), changeable, hidden, own);
  }

  public Reach alsoChanging(List<Path> more) {
    return new Reach(
        folder, shown, writable, network, readable, with(changeable, more), hidden, own);
  }

  public Reach hiding(List<Path> more) {
    return new Reach(
        folder, shown, writable, network, readable, changeable, with(hidden, more), own);
  }

  public Reach owning(List<Path> more) {
    return new Reach(
        folder, shown, writable, network, readable, changeable, hidden, with(own, more));
  }

  private static List<Path> with(List<Path> some, List<Path> more) {
    List<Path> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }
}
