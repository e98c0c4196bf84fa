package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store in a SQLite file with its keys beside it. Whoever dies leaves the files as they are in
 * that moment, log and all; the next opens what was left.
 */
public final class SqliteFiles implements SimulatedStore {
  private static final String NAME = "simulated.db";

  private final Path folder;
  private final InstantSource clock;
  private Path current;
  private @Nullable Journal opened;
  private int lives;
  private long reopened;

  /**
   * @param folder where the files are, and which is deleted in the end
   */
  public SqliteFiles(Path folder, InstantSource clock) {
    this.folder = folder;
    this.clock = clock;
    this.current = fresh();
  }

  @Override
  public String kind() {
    return "sqlite";
  }

  @Override
  public Journal open(InstantSource nodes) {
    shut();
    reopened += Files.exists(current.resolve(NAME)) ? 1 : 0;
    opened = new ClosedOnce(SqliteJournal.open(current.resolve(NAME), nodes));
    return opened;
  }

  @Override
  public void killed(Journal dead) {
    Path left = current;
    current = fresh();
    // Before anything is closed: that would tidy up.
    for (Path file : files(left)) {
      String name = file.getFileName().toString();
      if (!name.endsWith("-shm") && !name.endsWith(".lock")) {
        copy(file, current.resolve(name));
      }
    }
    shut();
    delete(left);
  }

  @Override
  public void closed(Journal done) {
    shut();
  }

  @Override
  public Journal view() {
    return opened == null ? open(clock) : opened;
  }

  /** The node has closed it, or should have. */
  void shut() {
    if (opened != null) {
      opened.close();
      opened = null;
    }
  }

  @Override
  public long reopened() {
    return reopened;
  }

  @Override
  public void close() {
    shut();
    delete(current);
  }

  private Path fresh() {
    try {
      return Files.createDirectories(folder.resolve("life-" + ++lives));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copy(Path from, Path to) {
    try {
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path folder) {
    try {
      for (Path file : files(folder)) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
