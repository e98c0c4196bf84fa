package dev.signalbox.definition.mermaid;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The ways Mermaid's texts write characters they cannot hold: coded ones and tags. */
final class Entities {
  private static final Pattern CODED =
      Pattern.compile("[#&](#?\\w{1,16});|<br\\s*/?>|\\\\n", Pattern.CASE_INSENSITIVE);
  private static final Pattern DIRECTION =
      Pattern.compile("(direction)\\s+(TB|BT|RL|LR)", Pattern.CASE_INSENSITIVE);
  private static final Pattern END_NOTE =
      Pattern.compile("^([ \\t]*end) (note)\\b", Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("quot", "\""),
          Map.entry("apos", "'"),
          Map.entry("amp", "&"),
          Map.entry("lt", "<"),
          Map.entry("gt", ">"),
          Map.entry("nbsp", " "),
          Map.entry("semi", ";"),
          Map.entry("colon", ":"),
          Map.entry("num", "#"),
          Map.entry("lbrace", "{"),
          Map.entry("rbrace", "}"),
          Map.entry("lpar", "("),
          Map.entry("rpar", ")"),
          Map.entry("lbrack", "["),
          Map.entry("rbrack", "]"),
          Map.entry("rarr", "→"),
          Map.entry("larr", "←"),
          Map.entry("ge", "≥"),
          Map.entry("le", "≤"),
          Map.entry("ne", "≠"),
          Map.entry("infin", "∞"),
          Map.entry("hearts", "♥"),
          Map.entry("ndash", "–"),
          Map.entry("mdash", "—"),
          Map.entry("hellip", "…"));

  private Entities() {}

  /** The text a person sees; line breaks become newlines. */
  static String decode(String text) {
    if (text.indexOf('#') < 0
        && text.indexOf('&') < 0
        && text.indexOf('<') < 0
        && text.indexOf('\\') < 0) {
      return text;
    }
    Matcher coded = CODED.matcher(text);
    StringBuilder out = new StringBuilder();
    while (coded.find()) {
      String name = coded.group(1);
      String plain = name == null ? "\n" : character(name);
      coded.appendReplacement(out, Matcher.quoteReplacement(plain == null ? coded.group() : plain));
    }
    return coded.appendTail(out).toString();
  }

  private static @Nullable String character(String name) {
    String code = name.startsWith("#") ? name.substring(1) : name;
    try {
      int point = code.startsWith("x") ? Integer.parseInt(code.substring(1), 16) : digits(code);
      if (point > 0 && Character.isValidCodePoint(point) && !Character.isISOControl(point)) {
        return Character.toString(point);
      }
    } catch (NumberFormatException e) {
      return null;
    }
    return NAMES.get(name);
  }

  private static int digits(String code) {
    boolean number = !code.isEmpty() && code.length() < 8;
    for (int i = 0; i < code.length() && number; i++) {
      number = code.charAt(i) >= '0' && code.charAt(i) <= '9';
    }
    return number ? Integer.parseInt(code) : -1;
  }

  /** The text in one line, with every character that would end a label coded. */
  static String encode(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\n' -> out.append("<br/>");
        case ';' -> out.append("#59;");
        case ':' -> out.append(endsLabel(text, i) ? "#58;" : ":");
        default -> encode(text, i, out);
      }
    }
    return protectDirection(out.toString());
  }

  /** The text in quotes, without what would make a point of a state. */
  static String quote(String text) {
    String coded = encode(text).replace("\"", "#quot;");
    return '"' + coded.replace("[[", "#91;[").replace("<<", "#lt;<") + '"';
  }

  /** The text in as many lines as it has. */
  static String encodeLines(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\n') {
        out.append(c);
      } else if (c == ':' && out.isEmpty()) {
        out.append("#58;");
      } else if (c == '#' && startsEntity(text, i)) {
        out.append("#35;");
      } else {
        encode(text, i, out);
      }
    }
    return END_NOTE.matcher(out).replaceAll("$1#32;$2");
  }

  private static void encode(String text, int at, StringBuilder out) {
    char c = text.charAt(at);
    char next = at + 1 < text.length() ? text.charAt(at + 1) : '\0';
    switch (c) {
      case '&' -> out.append(startsEntity(text, at) ? "#38;" : "&");
      case '<' -> out.append(next == '/' || Chars.isWord(next) ? "#lt;" : "<");
      case '\\' -> out.append(next == 'n' ? "#92;" : "\\");
      case '%' -> out.append(next == '%' ? "#37;" : "%");
      default -> out.append(c != '\t' && Character.isISOControl(c) ? ' ' : c);
    }
  }

  private static boolean endsLabel(String text, int at) {
    return at + 1 == text.length() || ":;\n".indexOf(text.charAt(at + 1)) >= 0;
  }

  private static String protectDirection(String text) {
    return DIRECTION.matcher(text).replaceAll("$1#32;$2");
  }

  private static boolean startsEntity(String text, int at) {
    int end = at + 1;
    while (end < text.length()
        && end - at < 20
        && (Chars.isWord(text.charAt(end)) || text.charAt(end) == '#')) {
      end++;
    }
    return end < text.length() && text.charAt(end) == ';';
  }
}
