package dev.signalbox.journal.sqlite;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.JournalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a journal really is, whatever name leads there, and which files belong to it. Whoever locks
 * or reads something beside the journal takes it from here, so that one file has one owner.
 *
 * @param given the name that was given
 * @param file the journal itself, without symbolic links
 */
record Location(Path given, Path file) {
  private static final int MOST_LINKS = 40;

  static Location of(Path given) {
    Path file = given.toAbsolutePath();
    try {
      // The last name may lead to a file that is still to be made.
      for (int i = 0; i < MOST_LINKS && Files.isSymbolicLink(file); i++) {
        file = file.resolveSibling(Files.readSymbolicLink(file));
      }
      Path folder = file.getParent();
      if (Files.exists(file)) {
        file = file.toRealPath();
      } else if (folder != null && Files.exists(folder)) {
        file = folder.toRealPath().resolve(file.getFileName());
      }
      return new Location(given, file.normalize());
    } catch (IOException e) {
      throw new JournalException(
          "Expected '%s' to lead to a journal, but it can't be followed: %s."
              .formatted(given, e.getMessage()),
          e);
    }
  }

  private Path beside(String suffix) {
    return file.resolveSibling(file.getFileName() + suffix);
  }

  Path lock() {
    return beside(".lock");
  }

  Path log() {
    return beside("-wal");
  }

  Path index() {
    return beside("-shm");
  }

  Path keys() {
    return beside(".keys");
  }

  /** The operator's keys, where nobody named another folder for them. */
  private Path operatorsKey() {
    return file.resolveSibling(SqliteJournal.KEYS).resolve("signing.key");
  }

  String url() {
    return "jdbc:sqlite:" + file;
  }

  /** The keys beside a link, where they were kept by a name that is not the journal's own. */
  private @Nullable Path strayKeys() {
    Path stray =
        given.toAbsolutePath().resolveSibling(given.toAbsolutePath().getFileName() + ".keys");
    return Files.exists(stray) && !isSame(stray, keys()) ? stray : null;
  }

  private static boolean isSame(Path one, Path other) {
    try {
      return Files.exists(other) && Files.isSameFile(one, other);
    } catch (IOException e) {
      return false;
    }
  }

  /** The keys for someone who only reads. */
  Path readableKeys() {
    Path stray = strayKeys();
    return stray != null && Files.notExists(keys()) ? stray : keys();
  }

  /** Makes sure that there is one file of keys, beside the journal itself. */
  void gatherKeys() {
    Path stray = strayKeys();
    if (stray == null) {
      return;
    }
    if (Files.exists(keys())) {
      throw new JournalException(
          ("Expected one file of keys for '%s', but found '%s' and '%s'. Keep the one that the"
                  + " store's instances are sealed with as '%s', and move the other away.")
              .formatted(file, stray, keys(), keys()),
          null);
    }
    try {
      DurableFile.move(stray, keys());
    } catch (IOException e) {
      throw new JournalException(
          "Expected the keys of '%s' beside it, but they are in '%s' and can't be moved: %s. Move"
                  .formatted(file, stray, e.getMessage())
              + " them to '%s'.".formatted(keys()),
          e);
    }
  }

  /**
   * Refuses a file with a second name: SQLite keeps its log beside the name, so two names are two
   * logs, and each commit through one is damage for the other.
   */
  void refuseHardLinks() {
    try {
      if (Files.exists(file)
          && Files.getAttribute(file, "unix:nlink") instanceof Integer names
          && names > 1) {
        throw new JournalException(
            ("Expected '%s' to have one name, but it has %d (hard links), each with a log of its"
                    + " own. Remove the others, or make them copies.")
                .formatted(file, names),
            null);
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // This file system has no such names.
    }
  }

  /** Whether there is no journal, or nothing of it. */
  boolean isEmpty() {
    try {
      return Files.notExists(file) || Files.size(file) == 0;
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Why a journal that is not there must not be begun anew, or null: something that only a journal
   * leaves behind is still there.
   */
  @Nullable String loss() {
    if (!isEmpty()) {
      return null;
    }
    List<Path> left = new ArrayList<>();
    for (Path trace : List.of(readableKeys(), log(), lock())) {
      if (hasContent(trace)) {
        left.add(trace);
      }
    }
    if (left.isEmpty() && Files.exists(lock()) && Files.exists(operatorsKey())) {
      left.add(lock());
      left.add(operatorsKey());
    }
    return left.isEmpty() ? null : loss(left);
  }

  /** Tells that the journal is missing while other files of it are there. */
  String loss(List<Path> left) {
    String files = String.join("' and '", left.stream().map(Path::toString).toList());
    return ("Expected the store '%s', but it is %s, while '%s' %s there. Bring the store back from"
            + " a backup. To give up what it held and begin anew, move '%s' away first.")
        .formatted(
            file,
            Files.exists(file) ? "empty" : "gone",
            files,
            left.size() == 1 ? "is still" : "are still",
            files);
  }

  private static boolean hasContent(Path trace) {
    try {
      return Files.isRegularFile(trace) && Files.size(trace) > 0;
    } catch (IOException e) {
      return true;
    }
  }
}
