package dev.signalbox.services.retention;

import dev.signalbox.journal.DurableFile;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Archive;
import dev.signalbox.runtime.Signalbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The archives of a store, in a folder of their own. One at a time is written. */
public final class Archives {
  /** About how many instances a file has at most, where nothing else is said. */
  public static final int MOST = 10_000;

  private static final Pattern NAME =
      Pattern.compile("archive-[0-9]{8}-[0-9]{6}(-[0-9]+)?\\.jsonl");
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Signalbox box;
  private final Path data;
  private final InstantSource clock;

  /**
   * @param data where the store's own folder is; archives go into {@code archives} there, signed
   *     with the store's key
   */
  public Archives(Signalbox box, Path data, InstantSource clock) {
    this.box = box;
    this.data = data;
    this.clock = clock;
  }

  /**
   * An archive that was written.
   *
   * @param instances that are in it and not in the store any more
   * @param kept that are in it and in the store, because something is pending for them
   */
  public record Written(Path file, String sha256, long instances, long kept) {}

  /** A file that is there. */
  public record Kept(String name, long bytes) {}

  /**
   * Takes out of the store what ended longer ago than that, with everything below it.
   *
   * @param most about how many instances the file may have
   * @param actor who is said to have archived it
   * @return null when there was nothing
   */
  public synchronized @Nullable Written write(Duration age, int most, Actor actor)
      throws IOException {
    Path folder = folder();
    DurableFile.folders(folder);
    Instant now = clock.instant();
    Path file = free(folder, "archive-" + TIME.format(now));
    Archive.Result result = box.archive(file, now.minus(age).toEpochMilli(), most, actor);
    return result.file().isEmpty()
        ? null
        : new Written(file, result.file(), result.instances(), result.kept());
  }

  /** Two in one second have different names. */
  private static Path free(Path folder, String name) {
    Path file = folder.resolve(name + ".jsonl");
    for (int i = 2; Files.exists(file); i++) {
      file = folder.resolve("%s-%d.jsonl".formatted(name, i));
    }
    return file;
  }

  private Path folder() {
    return data.resolve("archives");
  }

  /** The archives that are there, the oldest first. */
  public List<Kept> list() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> NAME.matcher(file.getFileName().toString()).matches())
          .sorted()
          .map(file -> new Kept(file.getFileName().toString(), file.toFile().length()))
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  /** The archive of that name, or null when there is none. Nothing else in the folder has one. */
  public @Nullable Path find(String name) {
    Path file = folder().resolve(NAME.matcher(name).matches() ? name : "");
    return Files.isRegularFile(file) ? file : null;
  }
}
