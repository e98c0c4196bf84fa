package dev.signalbox.server.access;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lines of JSON in a file that is turned over when it is full, and the newest of them in memory.
 * One thread uses it at a time.
 */
final class AuditFile {
  /** A file of more bytes is turned over. */
  static final long FULL = 8L << 20;

  private final @Nullable Path file;
  private final Deque<Map<String, Object>> newest = new ArrayDeque<>();
  private long size;

  /**
   * @param folder where it is; null keeps the newest in memory alone
   */
  AuditFile(@Nullable Path folder, String name) {
    this.file = folder == null ? null : folder.resolve(name + ".jsonl");
    try {
      if (file != null && Files.exists(file)) {
        this.size = Files.size(file);
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        recall(text);
        if (!text.isEmpty() && !text.endsWith("\n")) {
          write("\n");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes up where the server before this one stopped; what is no line of ours is passed over. */
  private void recall(String text) {
    List<String> lines = text.lines().toList();
    for (String each : lines.subList(Math.max(0, lines.size() - AuditLog.MOST), lines.size())) {
      try {
        if (Json.parse(each) instanceof Map<?, ?> line && line.get("number") instanceof Long) {
          Map<String, Object> kept = new LinkedHashMap<>();
          line.forEach((name, value) -> {
            if (value != null) {
              kept.put(String.valueOf(name), value);
            }
          });
          newest.addLast(kept);
        }
      } catch (Json.SyntaxException e) {
        // A process that was killed may leave half a line.
      }
    }
  }

  /** The number of the line. */
  static long number(Map<String, Object> line) {
    return line.get("number") instanceof Long number ? number : 0;
  }

  /** The highest number of a line that is there; 0 for none. */
  long last() {
    return newest.stream().mapToLong(AuditFile::number).max().orElse(0);
  }

  Collection<Map<String, Object>> newest() {
    return newest;
  }

  void add(Map<String, Object> line) {
    newest.addLast(line);
    if (newest.size() > AuditLog.MOST) {
      newest.removeFirst();
    }
    write(Json.text(line) + "\n");
  }

  private void write(String text) {
    if (file == null) {
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try {
      if (size + bytes.length > FULL) {
        String name = file.getFileName().toString().replace(".jsonl", ".1.jsonl");
        Files.move(file, file.resolveSibling(name), StandardCopyOption.REPLACE_EXISTING);
        size = 0;
      }
      if (size == 0) {
        OwnerOnly.create(file);
      }
      Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      size += bytes.length;
    } catch (IOException e) {
      // A full disk must not stop requests; what is in memory can still be asked for.
      size = Math.max(size, 1);
    }
  }
}
