package dev.signalbox.services.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Makes trees and changes them, by a seed. */
final class RandomTree {
  private static final List<String> NAMES =
      List.of(
          "a", "b", "c", "with space", "-rf", "line\nend", "ünï", "%uri:r:x", "{x}", "..x", "'");
  private static final String[] MODES = {"rw-r--r--", "rwxr-xr-x", "r--------", "rw-rw-rw-"};

  private final Path folder;
  private final Random random;

  RandomTree(Path folder, long seed) {
    this.folder = folder;
    this.random = new Random(seed);
  }

  /** Does so many things. */
  void change(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      List<Path> all = all();
      Path some = all.isEmpty() ? folder : all.get(random.nextInt(all.size()));
      switch (random.nextInt(10)) {
        case 0, 1, 2, 3 -> add();
        case 4 -> {
          if (!some.equals(folder)) {
            delete(some);
          }
        }
        case 5 -> {
          if (Files.isRegularFile(some, LinkOption.NOFOLLOW_LINKS)) {
            Files.writeString(some, "changed " + random.nextInt(3));
          }
        }
        case 6 -> {
          if (!some.equals(folder) && !Files.isSymbolicLink(some)) {
            String mode =
                Files.isDirectory(some)
                    ? (random.nextBoolean() ? "rwx------" : "r-x------")
                    : MODES[random.nextInt(MODES.length)];
            Files.setPosixFilePermissions(
                some, java.nio.file.attribute.PosixFilePermissions.fromString(mode));
          }
        }
        case 7 -> {
          // Something of another kind in its place.
          if (!some.equals(folder)) {
            delete(some);
            make(some);
          }
        }
        case 8 -> {
          Path to = place();
          if (!some.equals(folder)
              && !Files.exists(to, LinkOption.NOFOLLOW_LINKS)
              && !to.startsWith(some)) {
            Files.move(some, to);
          }
        }
        default -> {
          Path to = place();
          if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            Files.createSymbolicLink(
                to, Path.of(random.nextBoolean() ? "/etc" : "../" + NAMES.get(0)));
          }
        }
      }
    }
  }

  private void add() throws IOException {
    Path to = place();
    if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      make(to);
    }
  }

  private void make(Path to) throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> Files.createDirectory(to);
      case 1 -> Files.createSymbolicLink(to, Path.of("nowhere", "" + random.nextInt(3)));
      default ->
          Files.writeString(to, ("text " + random.nextInt(5) + "\n").repeat(random.nextInt(4)));
    }
  }

  private Path place() throws IOException {
    List<Path> folders =
        new ArrayList<>(
            all().stream().filter(p -> Files.isDirectory(p, LinkOption.NOFOLLOW_LINKS)).toList());
    folders.add(folder);
    return folders
        .get(random.nextInt(folders.size()))
        .resolve(NAMES.get(random.nextInt(NAMES.size())));
  }

  private List<Path> all() throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(path -> !path.equals(folder)).sorted().toList();
    }
  }

  static void delete(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
