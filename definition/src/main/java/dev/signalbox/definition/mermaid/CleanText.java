package dev.signalbox.definition.mermaid;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A diagram's text as Mermaid's scanner gets to see it: no carriage returns, front matter,
 * directives and comment lines blanked out. Every character keeps its line and column.
 *
 * @param title the title in the front matter, or null
 * @param ids the ids of states that go by another name, from comments that the writer leaves
 */
record CleanText(String text, @Nullable String title, Map<String, String> ids) {
  /** How a comment begins that gives a name's true id, as in {@code %% @id in_doubt = in-doubt}. */
  static final String ID_COMMENT = "%% @id ";

  private static final Pattern TITLE =
      Pattern.compile(
          "^title:[ \\t]*(?:\"([^\"\\n]*)\"|'([^'\\n]*)'|([^\\n]*))", Pattern.MULTILINE);

  static CleanText of(String source) {
    StringBuilder text = new StringBuilder(source.replace("\r\n", "\n").replace('\r', '\n'));
    String title = frontMatter(text);
    directives(text);
    Map<String, String> ids = new HashMap<>();
    comments(text, ids);
    attributes(text);
    return new CleanText(text.toString(), title, ids);
  }

  private static @Nullable String frontMatter(StringBuilder text) {
    int at = 0;
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    String fence = text.substring(text.lastIndexOf("\n", at) + 1, at) + "---";
    int open = lineEnd(text, at);
    if (!startsWith(text, at, "---") || !text.substring(at, open).strip().equals("---")) {
      return null;
    }
    int line = open + 1;
    while (line < text.length()
        && !text.substring(line, lineEnd(text, line)).stripTrailing().equals(fence)) {
      line = lineEnd(text, line) + 1;
    }
    if (line >= text.length()) {
      return null;
    }
    String body = text.substring(open, line);
    blank(text, 0, lineEnd(text, line));
    Matcher title = TITLE.matcher(body.stripIndent());
    if (!title.find()) {
      return null;
    }
    for (int i = 1; i <= 3; i++) {
      String found = title.group(i);
      if (found != null) {
        return found.isBlank() ? null : found.strip();
      }
    }
    return null;
  }

  /** Blanks {@code %%{ … }%%}, which sets up how Mermaid draws. */
  private static void directives(StringBuilder text) {
    int from = text.indexOf("%%{");
    while (from >= 0) {
      int close = text.indexOf("}%%", from);
      // One that is never closed takes all that follows it.
      int end = close < 0 ? text.length() : close + 3;
      blank(text, from, end);
      from = text.indexOf("%%{", end);
    }
  }

  /** Blanks lines that are comments, also inside notes and strings, as Mermaid does. */
  private static void comments(StringBuilder text, Map<String, String> ids) {
    int lineStart = 0;
    while (lineStart < text.length()) {
      int end = text.indexOf("\n", lineStart);
      end = end < 0 ? text.length() : end;
      int at = lineStart;
      while (at < end && Chars.isSpace(text.charAt(at))) {
        at++;
      }
      if (startsWith(text, at, "%%")) {
        if (startsWith(text, at, ID_COMMENT)) {
          id(text.substring(at + ID_COMMENT.length(), end), ids);
        }
        blank(text, at, end);
      }
      lineStart = end + 1;
    }
  }

  private static void id(String comment, Map<String, String> ids) {
    int equals = comment.indexOf(" = ");
    if (equals > 0) {
      String id = Entities.decode(comment.substring(equals + 3)).strip();
      if (!id.isEmpty()) {
        ids.putIfAbsent(comment.substring(0, equals).strip(), id);
      }
    }
  }

  /** Gives attributes of HTML tags single quotes, so that they cannot end a string. */
  private static void attributes(StringBuilder text) {
    int at = text.indexOf("<");
    while (at >= 0) {
      int name = at + 1;
      while (name < text.length() && Chars.isWord(text.charAt(name))) {
        name++;
      }
      int next = at + 1;
      if (name > at + 1) {
        int close = text.indexOf(">", name);
        if (close < 0) {
          return;
        }
        quote(text, name, close);
        next = close;
      }
      at = text.indexOf("<", next);
    }
  }

  private static void quote(StringBuilder text, int from, int to) {
    for (int i = from; i + 1 < to; i++) {
      if (text.charAt(i) == '=' && text.charAt(i + 1) == '"') {
        int close = text.indexOf("\"", i + 2);
        if (close < 0 || close > to) {
          return;
        }
        text.setCharAt(i + 1, '\'');
        text.setCharAt(close, '\'');
        i = close;
      }
    }
  }

  private static void blank(StringBuilder text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (text.charAt(i) != '\n') {
        text.setCharAt(i, ' ');
      }
    }
  }

  private static int lineEnd(StringBuilder text, int from) {
    int end = text.indexOf("\n", from);
    return end < 0 ? text.length() : end;
  }

  private static boolean startsWith(StringBuilder text, int at, String prefix) {
    return at + prefix.length() <= text.length()
        && text.substring(at, at + prefix.length()).equals(prefix);
  }
}
