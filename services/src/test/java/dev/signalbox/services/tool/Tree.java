package dev.signalbox.services.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that starts a child, a grandchild that ignores SIGTERM, one that has left its parents
 * and one in a session of its own; it writes all their numbers, says through a pipe that they are
 * there, and never ends.
 */
final class Tree {
  private static final String SCRIPT =
      """
      trap '' TERM
      echo $$ >> pids
      sh -c 'echo $$ >> pids; sh -c "trap \\"\\" TERM; echo \\$\\$ >> pids; while :; do sleep 1000; done" & wait' &
      (sh -c 'echo $$ >> pids; exec sleep 1000' &)
      setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
      until [ "$(wc -l < pids)" -ge 5 ]; do :; done
      [ -p ready ] && echo ready > ready
      while :; do wait; sleep 1000; done
      """;

  private final Path folder;

  private Tree(Path folder) {
    this.folder = folder;
  }

  static Tree in(Path folder) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("tree.sh"), SCRIPT);
    Process made =
        new ProcessBuilder("mkfifo", folder.resolve("ready").toString()).inheritIO().start();
    if (!made.waitFor(30, TimeUnit.SECONDS) || made.exitValue() != 0) {
      throw new IOException("no pipe");
    }
    return new Tree(folder);
  }

  /** Waits until all are there. */
  void awaitReady() throws IOException {
    if (!Files.readString(folder.resolve("ready")).startsWith("ready")) {
      throw new IOException("not ready");
    }
  }

  List<Long> pids() throws IOException {
    return Files.readAllLines(folder.resolve("pids")).stream().map(Long::valueOf).toList();
  }

  static boolean lives(long pid) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(") ") + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }
}
