package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.sqlite.SqliteJournal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A store in a SQLite file with its keys beside it. Whoever dies leaves the files as they are in
 * that moment: with a log that nobody has brought in, with what was being written there in part
 * (see {@link TornFiles}), and with a lock file that names it. The next opens a copy of what was
 * left, made before anything could be tidied up.
 */
public final class SqliteFiles implements SimulatedStore {
  private static final String NAME = "simulated.db";
  private static final String LOG = NAME + "-wal";
  private static final String INDEX = NAME + "-shm";

  private final Path folder;
  private final InstantSource clock;
  private Path current;
  private @Nullable Journal opened;
  private Map<String, byte[]> remembered = Map.of();

  /** What the last one left that was cut off; null when nobody was since. */
  private @Nullable Map<String, byte[]> left;

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
  public boolean isFile() {
    return true;
  }

  @Override
  public void remember() {
    remembered = contents();
  }

  @Override
  public void cutOff(RandomGenerator random) {
    left = new TornFiles(random).of(remembered, contents(), NAME, LOG);
    remembered = Map.of();
  }

  @Override
  public void killed(Journal dead) {
    leave();
  }

  /** What the dead one left is from now on what there is. */
  private void leave() {
    Map<String, byte[]> files = left == null ? contents() : left;
    left = null;
    Path before = current;
    current = fresh();
    try {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(current.resolve(file.getKey()), file.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    shut();
    delete(before);
  }

  /** What is in the files; the index of the log is made anew by whoever opens it first. */
  private Map<String, byte[]> contents() {
    Map<String, byte[]> contents = new HashMap<>();
    try {
      for (Path file : files(current)) {
        String name = file.getFileName().toString();
        if (!name.equals(INDEX)) {
          contents.put(name, Files.readAllBytes(file));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return contents;
  }

  @Override
  public void closed(Journal done) {
    shut();
  }

  @Override
  public Journal view() {
    if (left != null) {
      // Nobody sees more of what was cut off than the next one will find.
      leave();
    }
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
