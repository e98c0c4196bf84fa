package dev.signalbox.definition;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced block of a Markdown text.
 *
 * @param info what stands behind the opening fence, such as {@code mermaid}
 * @param open the index of the line that opens it
 * @param close the index of the line that closes it, or the number of lines when none does
 * @param text the lines between, with the marks of a quotation blanked, so that columns stay
 */
public record Fence(String info, int open, int close, String text) {
  private static final Pattern OPENING =
      Pattern.compile("^([\\s>]*(?:[-*+]\\s+|\\d{1,9}[.)]\\s+)?)(`{3,}|~{3,}|:::+)\\s*(.*)$");

  /** The fences of the text, in order. */
  public static List<Fence> of(List<String> lines) {
    List<Fence> fences = new ArrayList<>();
    int at = 0;
    while (at < lines.size()) {
      Matcher opening = OPENING.matcher(lines.get(at));
      if (opening.matches()) {
        Fence fence = read(lines, at, opening.group(2), opening.group(3));
        fences.add(fence);
        at = fence.close;
      }
      at++;
    }
    return fences;
  }

  /** The number of the first line inside. */
  public int firstLine() {
    return open + 2;
  }

  private static Fence read(List<String> lines, int open, String mark, String info) {
    int close = open + 1;
    StringBuilder text = new StringBuilder();
    while (close < lines.size() && !closes(lines.get(close), mark)) {
      text.append(unquoted(lines.get(close))).append('\n');
      close++;
    }
    return new Fence(info, open, close, text.toString());
  }

  private static boolean closes(String line, String mark) {
    String text = unquoted(line).strip();
    return text.length() >= mark.length() && text.chars().allMatch(c -> c == mark.charAt(0));
  }

  private static String unquoted(String line) {
    int text = 0;
    for (int i = 0; i < line.length() && " \t>".indexOf(line.charAt(i)) >= 0; i++) {
      text = line.charAt(i) == '>' ? i + 1 : text;
    }
    return " ".repeat(text) + line.substring(text);
  }
}
