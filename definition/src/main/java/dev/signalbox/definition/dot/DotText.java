package dev.signalbox.definition.dot;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Texts inside DOT: what a label shows, and how one is written. */
final class DotText {
  private static final Pattern BREAK = Pattern.compile("(?i)<br\\s*/?>|</tr>");
  private static final Pattern TAG = Pattern.compile("<[^<>]{0,1000}>");
  private static final Pattern ENTITY = Pattern.compile("&(#?\\w{1,10});");

  private DotText() {}

  /** What a person reads. */
  static String shown(DotToken value, String name) {
    return value.kind() == DotToken.Kind.HTML
        ? plain(value.text())
        : unescape(value.text(), name).strip();
  }

  private static String unescape(String text, String name) {
    StringBuilder out = new StringBuilder();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i++);
      if (c != '\\' || i == text.length()) {
        out.append(c);
        continue;
      }
      switch (text.charAt(i)) {
        case 'n', 'l', 'r' -> out.append('\n');
        case 'N' -> out.append(name);
        default -> out.append(text.charAt(i));
      }
      i++;
    }
    return entities(out.toString());
  }

  private static String plain(String html) {
    String text = BREAK.matcher(html).replaceAll("\n");
    return entities(TAG.matcher(text).replaceAll("")).strip();
  }

  private static String entities(String text) {
    if (text.indexOf('&') < 0) {
      return text;
    }
    Matcher entity = ENTITY.matcher(text);
    StringBuilder out = new StringBuilder();
    while (entity.find()) {
      String plain =
          switch (entity.group(1)) {
            case "lt" -> "<";
            case "gt" -> ">";
            case "amp" -> "&";
            case "quot" -> "\"";
            case "apos", "#39" -> "'";
            case "nbsp" -> " ";
            default -> entity.group();
          };
      entity.appendReplacement(out, Matcher.quoteReplacement(plain));
    }
    return entity.appendTail(out).toString();
  }

  /** A label in quotes. */
  static String label(String text) {
    String coded = text.replace("\\", "\\\\").replace("&", "&amp;").replace("\n", "\\n");
    return '"' + coded.replace("\"", "\\\"") + '"';
  }

  /** An id in quotes, where it needs them. */
  static String id(String id) {
    return '"' + id.replace("\"", "\\\"") + '"';
  }
}
