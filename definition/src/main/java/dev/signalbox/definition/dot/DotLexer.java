package dev.signalbox.definition.dot;

import dev.signalbox.definition.Problems;
import dev.signalbox.definition.dot.DotToken.Kind;
import dev.signalbox.definition.sketch.LinePlaces;

/** Takes a DOT text apart into tokens; comments and preprocessor lines are no tokens. */
final class DotLexer {
  private final String text;
  private final LinePlaces places;
  private final Problems problems;
  private int at;

  DotLexer(String text, LinePlaces places, Problems problems) {
    this.text = text;
    this.places = places;
    this.problems = problems;
  }

  DotToken next() {
    skip();
    if (at >= text.length()) {
      return new DotToken(Kind.END, "the end", text.length());
    }
    int start = at;
    char c = text.charAt(at);
    if (c == '"') {
      return quoted();
    }
    if (c == '<') {
      return html();
    }
    if (c == '-' && (looksAt("->") || looksAt("--"))) {
      at += 2;
      return new DotToken(Kind.PUNCTUATION, text.substring(start, at), start);
    }
    if (isNumber()) {
      return number();
    }
    if (isLetter(c)) {
      while (at < text.length() && (isLetter(text.charAt(at)) || isDigit(text.charAt(at)))) {
        at++;
      }
      return new DotToken(Kind.NAME, text.substring(start, at), start);
    }
    at++;
    return new DotToken(Kind.PUNCTUATION, String.valueOf(c), start);
  }

  private void skip() {
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean lineStart = at == 0 || text.charAt(at - 1) == '\n';
      if (Character.isWhitespace(c) || c == '\uFEFF') {
        at++;
      } else if (looksAt("//") || (c == '#' && lineStart)) {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else if (looksAt("/*")) {
        int end = text.indexOf("*/", at + 2);
        if (end < 0) {
          problem(at, "Expected */ at the end of the comment, but there is none.");
        }
        at = end < 0 ? text.length() : end + 2;
      } else {
        return;
      }
    }
  }

  /** A text in quotes; several joined by + are one. */
  private DotToken quoted() {
    int start = at;
    StringBuilder value = new StringBuilder();
    while (true) {
      at++;
      while (at < text.length() && text.charAt(at) != '"') {
        at = piece(value);
      }
      if (at >= text.length()) {
        problem(start, "Expected a closing quote, but there is none.");
        return new DotToken(Kind.QUOTED, value.toString(), start);
      }
      at++;
      int end = at;
      skip();
      if (at >= text.length() || text.charAt(at) != '+') {
        at = end;
        return new DotToken(Kind.QUOTED, value.toString(), start);
      }
      at++;
      skip();
      if (at >= text.length() || text.charAt(at) != '"') {
        problem(at, "Expected a text in quotes after +, but found something else.");
        return new DotToken(Kind.QUOTED, value.toString(), start);
      }
    }
  }

  /** Adds the character here, with its backslash, and answers the offset behind it. */
  private int piece(StringBuilder value) {
    char c = text.charAt(at);
    if (c != '\\' || at + 1 >= text.length()) {
      value.append(c);
      return at + 1;
    }
    char next = text.charAt(at + 1);
    if (next == '"') {
      value.append('"');
    } else if (next == '\r' && at + 2 < text.length() && text.charAt(at + 2) == '\n') {
      return at + 3;
    } else if (next != '\n') {
      value.append(c).append(next);
    }
    return at + 2;
  }

  private DotToken html() {
    int start = at;
    int depth = 0;
    while (at < text.length()) {
      char c = text.charAt(at++);
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (depth == 0) {
        return new DotToken(Kind.HTML, text.substring(start + 1, at - 1), start);
      }
    }
    problem(start, "Expected > at the end of the HTML text, but there is none.");
    return new DotToken(Kind.HTML, text.substring(start + 1), start);
  }

  private boolean isNumber() {
    int digit = text.charAt(at) == '-' ? at + 1 : at;
    digit = digit < text.length() && text.charAt(digit) == '.' ? digit + 1 : digit;
    return digit < text.length() && isDigit(text.charAt(digit));
  }

  private DotToken number() {
    int start = at;
    at++;
    while (at < text.length() && (isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
      at++;
    }
    return new DotToken(Kind.NAME, text.substring(start, at), start);
  }

  private boolean looksAt(String literal) {
    return text.startsWith(literal, at);
  }

  private void problem(int offset, String message) {
    problems.error("dot-syntax", places.of(offset), message, "");
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= '\u0080';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
