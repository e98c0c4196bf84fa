package dev.signalbox.services.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tries from within a sandbox what nothing in it may reach: a store, its keys and its tokens,
 * another run's folder, the environments of processes outside, the network, and a file that nobody
 * showed. The store lies within a folder that is shown, so that hiding is tried too.
 */
final class SelfTest {
  private static final String MARK = "SIGNALBOX_SELF_TEST";
  private static final String DONE = "tried";
  private static final long SECONDS = 30;

  /**
   * Says what it reached, a word a line, and the last word at the end. What it can't try, because a
   * program is missing, it says too.
   */
  private static final String SCRIPT =
      """
      for name in store keys token run outside; do
        eval file=\\$$name
        cat "$file" > /dev/null 2>&1 && echo "$name"
      done
      echo probe 2> /dev/null > written && echo folder
      for process in /proc/[0-9]*; do
        around=$(cat "$process/environ" 2> /dev/null | tr '\\0' ' ') || echo tr
        case "$around" in '' | *SIGNALBOX_SELF_TEST*) ;; *) echo environment ;; esac
      done
      [ "$(readlink /proc/self/ns/net)" = "$net" ] && echo network
      grep -q "$port" /proc/net/tcp
      [ $? = 1 ] || echo network
      cat shown
      """;

  private SelfTest() {}

  /** What the sandbox did not refuse, in words; empty when it refused everything. */
  static String of(Sandbox sandbox) {
    Path folder = null;
    Path outside = null;
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      folder = Files.createTempDirectory("signalbox-self-test").toRealPath();
      outside = Files.createTempFile("signalbox-self-test", "outside").toRealPath();
      return tried(sandbox, folder, outside, listening.getLocalPort());
    } catch (IOException e) {
      return "it can't be tried: " + e.getClass().getSimpleName();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "it could not be tried to the end";
    } finally {
      remove(folder);
      remove(outside);
    }
  }

  private static String tried(Sandbox sandbox, Path folder, Path outside, int port)
      throws IOException, InterruptedException {
    Path data = folder.resolve("data");
    Path work = Files.createDirectories(folder.resolve("work"));
    Files.writeString(work.resolve("shown"), DONE);
    Map<String, String> given =
        new HashMap<>(
            Map.of(
                "store",
                secret(data.resolve("signalbox.db")),
                "keys",
                secret(data.resolve("signalbox-keys/key")),
                "token",
                secret(data.resolve("token")),
                "run",
                secret(data.resolve("runs/RUN-OTHER/evidence/ab")),
                "outside",
                outside.toString(),
                "port",
                ":%04X ".formatted(port),
                "net",
                Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString(),
                "PATH",
                "/usr/bin:/bin",
                MARK,
                "1"));
    Reach reach = Reach.reading(work).alsoReading(List.of(folder)).hiding(List.of(data));
    Process process =
        sandbox
            .prepared(
                new Errand(List.of("sh", "-c", SCRIPT), given, Map.of("CHOSEN", "1"), reach, null))
            .redirectErrorStream(true)
            .start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        return "it does not end";
      }
      String said =
          new String(process.getInputStream().readNBytes(4_000), StandardCharsets.UTF_8).strip();
      return said.equals(DONE) ? "" : "it says: " + said.replace('\n', ' ');
    } finally {
      process.destroyForcibly();
    }
  }

  private static String secret(Path file) throws IOException {
    Path parent = file.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.writeString(file, "secret");
    return file.toString();
  }

  private static void remove(@Nullable Path path) {
    if (path == null) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      // A temporary folder that stays does no harm.
    }
  }
}
