package dev.signalbox.server.access;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What never reached an instance: every sign-in and every refused request, a line of JSON each. It
 * can't grow without bound: the newest are in memory, and the file is turned over when it is full,
 * which keeps the last one beside it.
 */
public final class AuditLog {
  /** How many of the newest can be asked for. */
  public static final int MOST = 1_000;

  /** A file of more bytes is turned over. */
  static final long FULL = 8L << 20;

  private static final int LONGEST = 200;

  private final @Nullable Path file;
  private final InstantSource clock;
  private final Deque<Map<String, Object>> newest = new ArrayDeque<>();
  private long number;
  private long size;

  /**
   * @param folder where the file is; null keeps the newest in memory alone
   */
  public AuditLog(@Nullable Path folder, InstantSource clock) {
    this.file = folder == null ? null : folder.resolve("audit.jsonl");
    this.clock = clock;
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
    for (String each : lines.subList(Math.max(0, lines.size() - MOST), lines.size())) {
      try {
        if (Json.parse(each) instanceof Map<?, ?> line && line.get("number") instanceof Long last) {
          Map<String, Object> kept = new LinkedHashMap<>();
          line.forEach((name, value) -> {
            if (value != null) {
              kept.put(String.valueOf(name), value);
            }
          });
          newest.addLast(kept);
          number = Math.max(number, last);
        }
      } catch (Json.SyntaxException e) {
        // A process that was killed may leave half a line.
      }
    }
  }

  /**
   * Notes something.
   *
   * @param kind {@code sign-in}, {@code sign-out} or {@code refused}
   * @param who a name, or empty when nobody is known
   */
  public synchronized void note(
      String kind, String who, String from, String method, String path, int status, String code) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("number", ++number);
    line.put("at", clock.millis());
    line.put("kind", kind);
    line.put("who", clipped(who));
    line.put("from", clipped(from));
    line.put("method", clipped(method));
    line.put("path", clipped(path));
    line.put("status", (long) status);
    line.put("code", code);
    newest.addLast(line);
    if (newest.size() > MOST) {
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
        Path old = file.resolveSibling("audit.1.jsonl");
        Files.move(file, old, StandardCopyOption.REPLACE_EXISTING);
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

  /**
   * The newest that fit, the youngest first.
   *
   * @param text in the address from or the path to which it went, or in its code
   */
  public synchronized List<Map<String, Object>> newest(
      int most, @Nullable String kind, @Nullable String who, @Nullable String text) {
    List<Map<String, Object>> found = new ArrayList<>();
    var lines = newest.descendingIterator();
    while (lines.hasNext() && found.size() < most) {
      Map<String, Object> line = lines.next();
      if ((kind == null || kind.equals(line.get("kind")))
          && (who == null || who.equals(line.get("who")))
          && (text == null || has(line, text))) {
        found.add(line);
      }
    }
    return found;
  }

  private static boolean has(Map<String, Object> line, String text) {
    return Stream.of("from", "path", "code")
        .anyMatch(name -> String.valueOf(line.get(name)).contains(text));
  }

  private static String clipped(String text) {
    String shown = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    StringBuilder clean = new StringBuilder(shown.length());
    for (int i = 0; i < shown.length(); i++) {
      char c = shown.charAt(i);
      clean.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return clean.toString();
  }
}
