package dev.signalbox.definition.sketch;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The two kinds of text a drawing gives a state, kept in its one note: what is shown in the box, in
 * quotes and first, and the notes beside it, apart by empty lines.
 */
public record Prose(List<String> descriptions, List<String> notes) {

  public Prose {
    descriptions = List.copyOf(descriptions);
    notes = List.copyOf(notes);
  }

  /** Takes a state's note apart; every note is some prose. */
  public static Prose of(@Nullable String note) {
    List<String> descriptions = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    if (note != null) {
      List<String> lines = note.lines().toList();
      int at = 0;
      while (at < lines.size() && isQuoted(lines.get(at))) {
        String line = lines.get(at++).strip();
        descriptions.add(line.substring(1, line.length() - 1));
      }
      String rest = String.join("\n", lines.subList(at, lines.size())).strip();
      for (String text : rest.split("\\n\\s*\\n")) {
        if (!text.isBlank()) {
          notes.add(text.strip());
        }
      }
    }
    return new Prose(descriptions, notes);
  }

  /** The note of a state; null when there is nothing to say. */
  public @Nullable String note() {
    List<String> parts = new ArrayList<>();
    if (!descriptions.isEmpty()) {
      List<String> quoted = new ArrayList<>();
      descriptions.forEach(
          d -> quoted.add('"' + String.join(" ", d.lines().map(String::strip).toList()) + '"'));
      parts.add(String.join("\n", quoted));
    }
    notes.stream().filter(n -> !n.isBlank()).map(String::strip).forEach(parts::add);
    if (parts.isEmpty()) {
      return null;
    }
    String shown = descriptions.isEmpty() ? "" : parts.removeFirst();
    String rest = String.join("\n\n", parts);
    return shown.isEmpty() || rest.isEmpty() ? shown + rest : shown + "\n" + rest;
  }

  private static boolean isQuoted(String line) {
    String text = line.strip();
    return text.length() > 2 && text.startsWith("\"") && text.endsWith("\"");
  }
}
