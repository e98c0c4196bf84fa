package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.DurableFile;
import dev.signalbox.journal.sqlite.SqliteCopy;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A folder with everything that a store on SQLite is made of, as it was at one moment. The file
 * {@code backup.json} is written last and names every other with its digest: a folder without it is
 * no backup, and what was changed or cut off since is found.
 *
 * @param made when, in milliseconds
 * @param entries how many the journal has
 * @param repeated effects that are done again when it goes on
 * @param unknown effects that end as unknown then
 * @param keyed whether the operator had keys, without which a part of it can't be read or signed
 * @param files the SHA-256 of each, by its name in the folder
 */
record Backup(
    long made,
    long entries,
    long repeated,
    long unknown,
    boolean keyed,
    Map<String, String> files) {
  static final String STORE = "signalbox.db";
  static final String STORE_KEYS = STORE + ".keys";
  static final String ARCHIVES = "archives";
  static final String RUNS = "runs";
  private static final String MANIFEST = "backup.json";
  private static final long FORMAT = 1;

  /** Tells what is copied. */
  interface Telling {
    void at(String what);
  }

  /**
   * Makes a backup beside whoever works on the store.
   *
   * @param keys where the operator's keys are, if there are any
   * @param extras folders that are copied too, by their names in the backup
   * @param to a folder that is not there, or is empty
   */
  static Backup make(
      Path store, Path keys, Map<String, Path> extras, Path to, long now, Telling telling)
      throws IOException {
    begin(to);
    telling.at("the store");
    SqliteCopy copy = SqliteCopy.of(store, to.resolve(STORE));
    keepForOwner(to.resolve(STORE));
    // Nothing is signed or sealed before its key is there.
    boolean keyed = Files.isDirectory(keys);
    // An archive is whole before the store says that its instances are there.
    for (Map.Entry<String, Path> extra : extras.entrySet()) {
      if (Files.isDirectory(extra.getValue())) {
        copyFolder(extra.getValue(), to.resolve(extra.getKey()), telling);
      }
    }
    Map<String, String> files = new TreeMap<>();
    for (Path file : filesIn(to)) {
      telling.at(file.getFileName().toString());
      DurableFile.forceWhole(file);
      files.put(name(to, file), digest(file));
    }
    Backup backup = new Backup(now, copy.entries(), copy.repeated(), copy.unknown(), keyed, files);
    DurableFile.writeForOwner(
        to.resolve(MANIFEST), (Json.text(backup.fields()) + "\n").getBytes(StandardCharsets.UTF_8));
    return backup;
  }

  private static void begin(Path folder) throws IOException {
    if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      if (!Files.isDirectory(folder) || !isEmpty(folder)) {
        throw new CommandFailure(
            "Expected '%s' to be a folder that is empty or not there, but something is. Name another."
                .formatted(folder));
      }
    }
    DurableFile.folders(folder);
    keepForOwner(folder);
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (var names = Files.list(folder)) {
      return names.findAny().isEmpty();
    }
  }

  private static void keepForOwner(Path path) throws IOException {
    if (path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      String mode = Files.isDirectory(path) ? "rwx------" : "rw-------";
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }
  }

  /** Copies the files of a folder, and of those in it, for its owner alone. */
  static void copyFolder(Path from, Path to, Telling telling) throws IOException {
    DurableFile.folders(to);
    keepForOwner(to);
    for (Path file : filesIn(from)) {
      if (DurableFile.isPart(file) || followsFromJournal(to, from.relativize(file))) {
        continue;
      }
      telling.at(file.getFileName().toString());
      Path target = to.resolve(name(from, file));
      folders(target);
      try {
        copy(file, target);
      } catch (NoSuchFileException e) {
        // Whoever works on it has just removed it.
      }
    }
  }

  /** Makes the folders of a file that are not there, for their owner alone. */
  static void folders(Path file) throws IOException {
    Path parent = Objects.requireNonNull(file.toAbsolutePath().getParent());
    if (Files.notExists(parent)) {
      folders(parent);
      DurableFile.folders(parent);
      keepForOwner(parent);
    }
  }

  /** What a run's folder has beside evidence and backups is written anew from the journal. */
  private static boolean followsFromJournal(Path to, Path file) {
    return to.endsWith(RUNS)
        && (file.getNameCount() < 3
            || !List.of("evidence", "backups").contains(file.getName(1).toString()));
  }

  /** Copies a file, for its owner alone; it has its name only when it is whole. */
  static void copy(Path from, Path to) throws IOException {
    Path part = to.resolveSibling(".part-copy-" + to.getFileName());
    Files.deleteIfExists(part);
    try {
      Files.copy(from, part);
      keepForOwner(part);
      DurableFile.forceWhole(part);
      DurableFile.move(part, to);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Every regular file below the folder; links are not followed. */
  static List<Path> filesIn(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
            if (about.isRegularFile()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    files.sort(null);
    return files;
  }

  private static String name(Path folder, Path file) {
    return folder.relativize(file).toString().replace('\\', '/');
  }

  private static String digest(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] bytes = new byte[1 << 16];
      for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
        digest.update(bytes, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Expected SHA-256, which every JDK has.", e);
    }
  }

  /**
   * The backup in a folder, every file of which is as it was written.
   *
   * @throws CommandFailure when it is none, or not whole
   */
  static Backup read(Path folder, Telling telling) throws IOException {
    Path manifest = folder.resolve(MANIFEST);
    if (!Files.isRegularFile(manifest)) {
      throw new CommandFailure(
          "Expected a backup in '%s', but there is no %s, which is written last. Name a folder that 'signalbox backup' has finished."
              .formatted(folder, MANIFEST));
    }
    Backup backup = parsed(folder, Files.readString(manifest));
    Map<String, String> found = new TreeMap<>();
    for (Path file : filesIn(folder)) {
      if (!file.equals(manifest)) {
        telling.at(file.getFileName().toString());
        found.put(name(folder, file), digest(file));
      }
    }
    for (Map.Entry<String, String> file : backup.files().entrySet()) {
      if (!file.getValue().equals(found.remove(file.getKey()))) {
        throw new CommandFailure(
            "Expected '%s' as the backup wrote it, but it is gone or was changed. Take another backup."
                .formatted(folder.resolve(file.getKey())));
      }
    }
    if (!found.isEmpty()) {
      throw new CommandFailure(
          "Expected nothing in '%s' but what the backup wrote, but found '%s'. Move it away."
              .formatted(folder, found.keySet().iterator().next()));
    }
    return backup;
  }

  private static Backup parsed(Path folder, String text) {
    try {
      if (Json.parse(text) instanceof Map<?, ?> fields
          && Long.valueOf(FORMAT).equals(fields.get("signalbox_backup"))
          && fields.get("files") instanceof Map<?, ?> named
          && named.containsKey(STORE)) {
        Map<String, String> files = new TreeMap<>();
        named.forEach((name, digest) -> files.put(String.valueOf(name), String.valueOf(digest)));
        return new Backup(
            number(fields, "made"),
            number(fields, "entries"),
            number(fields, "effects_repeated"),
            number(fields, "effects_unknown"),
            Boolean.TRUE.equals(fields.get("operator_keys")),
            files);
      }
    } catch (Json.SyntaxException | IllegalArgumentException e) {
      // It is told below.
    }
    throw new CommandFailure(
        "Expected '%s' to describe a backup that this version can read, but it does not."
            .formatted(folder.resolve(MANIFEST)));
  }

  private static long number(Map<?, ?> fields, String name) {
    if (fields.get(name) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException(name);
  }

  /** What is written, and told to programs. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("signalbox_backup", FORMAT);
    fields.put("made", made);
    fields.put("entries", entries);
    fields.put("effects_repeated", repeated);
    fields.put("effects_unknown", unknown);
    fields.put("operator_keys", keyed);
    fields.put("files", files);
    return fields;
  }

  /** Whether it has a folder, such as the operator's keys. */
  boolean has(String folder) {
    return files.keySet().stream().anyMatch(file -> file.startsWith(folder + "/"));
  }
}
