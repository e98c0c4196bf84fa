package dev.signalbox.definition.yaml;

import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lays out YAML for people: maps and lists stand on one line where they fit into 100 columns and do
 * not ask for lines of their own.
 */
final class Printer {
  private static final int WIDTH = 100;

  /** The longest key that YAML reads without a question mark before it, less some room. */
  private static final int LONGEST_KEY = 1_000;

  private final StringBuilder out = new StringBuilder();

  private Printer() {}

  static String print(Part.Entries document) {
    Printer printer = new Printer();
    printer.entries(document, 0);
    return printer.out.toString();
  }

  /** The entries on one line, however long it is, for people alone: texts have no quotes. */
  static String line(Part.Entries map) {
    return map.entries().stream()
        .map(entry -> entry.key() + ": " + plain(entry.value()))
        .collect(Collectors.joining(", "));
  }

  private static @Nullable String plain(Part part) {
    return part instanceof Part.Text(String text)
        ? text.strip().replaceAll("\\s+", " ")
        : flow(part, Integer.MAX_VALUE);
  }

  private void entries(Part.Entries map, int indent) {
    boolean first = true;
    for (Part.Entry entry : map.entries()) {
      if (!first) {
        out.repeat(' ', indent);
      }
      first = false;
      String key = Quoting.scalar(entry.key(), false);
      if (key.length() > LONGEST_KEY) {
        out.append("? ").append(key).append('\n').repeat(' ', indent).append(':');
      } else {
        out.append(key).append(':');
      }
      value(entry.value(), indent);
    }
  }

  /** Behind a key's colon: on the same line, or deeper on the next ones. */
  private void value(Part value, int indent) {
    String line = flow(value, WIDTH - 1 - column());
    if (line != null) {
      out.append(' ').append(line).append('\n');
      return;
    }
    switch (value) {
      case Part.Text(String text) -> text(text, indent);
      case Part.Plain(String text) -> out.append(' ').append(text).append('\n');
      case Part.Items list -> {
        out.append('\n').repeat(' ', indent + 2);
        items(list, indent + 2);
      }
      case Part.Entries map -> {
        out.append('\n').repeat(' ', indent + 2);
        entries(map, indent + 2);
      }
    }
  }

  private void items(Part.Items list, int indent) {
    boolean first = true;
    for (Part item : list.items()) {
      if (!first) {
        out.repeat(' ', indent);
      }
      first = false;
      out.append('-');
      String line = flow(item, WIDTH - 1 - column());
      if (line != null) {
        out.append(' ').append(line).append('\n');
        continue;
      }
      switch (item) {
        case Part.Text(String text) -> text(text, indent);
        case Part.Plain(String text) -> out.append(' ').append(text).append('\n');
        case Part.Items inner -> {
          out.append(' ');
          items(inner, indent + 2);
        }
        case Part.Entries map -> {
          out.append(' ');
          entries(map, indent + 2);
        }
      }
    }
  }

  private void text(String text, int indent) {
    if (!Quoting.isBlock(text)) {
      out.append(' ').append(Quoting.scalar(text, false)).append('\n');
      return;
    }
    out.append(text.endsWith("\n") ? " |\n" : " |-\n");
    text.lines()
        .forEach(line -> {
          if (!line.isEmpty()) {
            out.repeat(' ', indent + 2).append(line);
          }
          out.append('\n');
        });
  }

  private int column() {
    return out.length() - 1 - out.lastIndexOf("\n");
  }

  /** The part on one line, or null when it is longer than the room or wants lines. */
  private static @Nullable String flow(Part part, int room) {
    StringBuilder line = new StringBuilder();
    return flow(part, room, line, true) ? line.toString() : null;
  }

  private static boolean flow(Part part, int room, StringBuilder line, boolean outermost) {
    if (line.length() > room) {
      return false;
    }
    switch (part) {
      case Part.Text(String text) -> {
        if (text.length() > room || (outermost && Quoting.isBlock(text))) {
          return false;
        }
        line.append(Quoting.scalar(text, !outermost));
      }
      case Part.Plain(String text) -> line.append(text);
      case Part.Items(var items, boolean block) -> {
        if (block && !items.isEmpty()) {
          return false;
        }
        line.append('[');
        String separator = "";
        for (Part item : items) {
          line.append(separator);
          separator = ", ";
          if (!flow(item, room, line, false)) {
            return false;
          }
        }
        line.append(']');
      }
      case Part.Entries(var entries, boolean block) -> {
        if (block && !entries.isEmpty()) {
          return false;
        }
        if (entries.isEmpty()) {
          line.append("{}");
          return line.length() <= room;
        }
        String separator = "{ ";
        for (Part.Entry entry : entries) {
          line.append(separator).append(Quoting.scalar(entry.key(), true)).append(": ");
          separator = ", ";
          if (!flow(entry.value(), room, line, false)) {
            return false;
          }
        }
        line.append(" }");
      }
    }
    return line.length() <= room;
  }
}
