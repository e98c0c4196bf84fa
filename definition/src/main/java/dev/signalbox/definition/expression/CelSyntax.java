package dev.signalbox.definition.expression;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.parser.CelParser;
import dev.cel.parser.CelParserFactory;
import dev.signalbox.kernel.ExpressionCompiler.SyntaxException;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the text of an expression with CEL's parser, and says in our words what is wrong. */
final class CelSyntax {
  static final int LONGEST = 10_000;
  static final int DEEPEST = 100;

  /** The most turns that the loops of one evaluation by CEL's interpreter may take. */
  static final int MOST_ITERATIONS = 10_000;

  static final CelOptions OPTIONS =
      CelOptions.current()
          .maxExpressionCodePointSize(LONGEST)
          .maxParseRecursionDepth(DEEPEST)
          .maxParseErrorRecoveryLimit(1)
          .enableHeterogeneousNumericComparisons(true)
          .comprehensionMaxIterations(MOST_ITERATIONS)
          .build();

  private static final Pattern MISSING =
      Pattern.compile("missing '(.+)' at '(.*)'", Pattern.DOTALL);
  private static final Pattern FOUND =
      Pattern.compile("(?:mismatched|extraneous) input '(.*)' expecting (.*)", Pattern.DOTALL);
  private static final Pattern STRAY =
      Pattern.compile("token recognition error at: '(.*)'", Pattern.DOTALL);
  private static final Pattern RESERVED = Pattern.compile("reserved identifier: (.*)");
  private static final Pattern NUMBER = Pattern.compile("For input string: \"(.*)\".*");

  /** What people write who come from other languages. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "and", "Write `&&`.",
          "or", "Write `||`.",
          "not", "Write `!`.",
          "=", "Write `==` to compare.",
          "&", "Write `&&`.",
          "|", "Write `||`.",
          "is", "Write `==`.");

  /** What was read lately; a machine is compiled more than once, by checks and by nodes. */
  private static final Map<String, CelAbstractSyntaxTree> KNOWN = new ConcurrentHashMap<>();

  private static final int MOST_KNOWN = 1_000;
  private static final int LONGEST_KNOWN = 200;

  private CelSyntax() {}

  /** The parser starts when the first expression is read, not when a class is loaded. */
  private static final class Started {
    static final CelParser PARSER =
        CelParserFactory.standardCelParserBuilder().setOptions(OPTIONS).build();
  }

  /** The tree as CEL gives it, with macros such as {@code has} left as plain calls. */
  static CelAbstractSyntaxTree parse(String text) throws SyntaxException {
    CelAbstractSyntaxTree known = KNOWN.get(text);
    if (known != null) {
      return known;
    }
    CelAbstractSyntaxTree read = read(text);
    if (text.length() <= LONGEST_KNOWN) {
      if (KNOWN.size() >= MOST_KNOWN) {
        KNOWN.clear();
      }
      KNOWN.put(text, read);
    }
    return read;
  }

  private static CelAbstractSyntaxTree read(String text) throws SyntaxException {
    if (text.isBlank()) {
      throw new SyntaxException("Expected an expression, but there is none.", 0);
    }
    if (text.length() > LONGEST) {
      throw new SyntaxException(
          "Expected an expression of at most 10,000 characters, but it has %,d."
              .formatted(text.length()),
          LONGEST);
    }
    try {
      CelValidationResult result = Started.PARSER.parse(text);
      if (!result.hasError()) {
        return result.getAst();
      }
      throw worded(text, result);
    } catch (CelValidationException | StackOverflowError e) {
      // The recursion limit comes first, except on a thread whose stack is unusually small.
      throw tooDeep(-1);
    }
  }

  private static SyntaxException tooDeep(int offset) {
    return new SyntaxException(
        "Expected an expression of at most 100 levels, but this one goes deeper. Split it.",
        offset);
  }

  private static SyntaxException worded(String text, CelValidationResult result) {
    CelIssue first =
        result.getErrors().stream()
            .min(
                Comparator.comparingInt((CelIssue issue) -> issue.getSourceLocation().getLine())
                    .thenComparingInt(issue -> issue.getSourceLocation().getColumn()))
            .orElseThrow();
    String message = first.getMessage();
    if (message.contains("recursion limit")) {
      return tooDeep(-1);
    }
    int offset = offset(text, result, first.getSourceLocation());
    return new SyntaxException(worded(message, text, offset), offset);
  }

  private static int offset(String text, CelValidationResult result, CelSourceLocation location) {
    return result
        .getSource()
        .getLocationOffset(location)
        .map(codePoints -> characters(text, codePoints))
        .orElse(text.length());
  }

  /** CEL counts code points; everybody else counts characters. */
  static int characters(String text, int codePoints) {
    try {
      return text.offsetByCodePoints(0, codePoints);
    } catch (IndexOutOfBoundsException e) {
      return text.length();
    }
  }

  private static String worded(String message, String text, int offset) {
    Matcher missing = MISSING.matcher(message);
    if (missing.matches()) {
      return "Expected `%s`, but %s.".formatted(missing.group(1), found(missing.group(2)));
    }
    Matcher found = FOUND.matcher(message);
    if (found.matches()) {
      String input = found.group(1);
      String wanted = found.group(2);
      String hint = OTHERS.getOrDefault(input, "");
      if (wanted.contains("IDENTIFIER")) {
        return sentence("Expected a value, but " + found(input) + ".", hint);
      }
      if (wanted.contains("<EOF>")) {
        String before = text.substring(0, offset).strip();
        String word = before.substring(before.lastIndexOf(' ') + 1);
        hint = hint.isEmpty() ? OTHERS.getOrDefault(word, "") : hint;
        return sentence("Expected an operator or the end, but " + found(input) + ".", hint);
      }
      String closing =
          Stream.of("]", ":", "}", ")")
              .filter(sign -> wanted.contains("'" + sign + "'"))
              .findFirst()
              .orElse("operator");
      return "Expected `" + closing + "`, but " + found(input) + ".";
    }
    Matcher stray = STRAY.matcher(message);
    if (stray.matches()) {
      return stray(stray.group(1));
    }
    Matcher reserved = RESERVED.matcher(message);
    if (reserved.matches()) {
      return "Expected a name, but `%s` is a reserved word.".formatted(reserved.group(1));
    }
    Matcher number = NUMBER.matcher(message);
    if (number.matches()) {
      return "Expected a number of 64 bits, but `%s` is none.".formatted(clip(number.group(1)));
    }
    if (message.startsWith("no viable alternative")) {
      return "Expected a name after the dot, but there is none.";
    }
    return "Expected an expression in CEL, but: " + clip(message) + ".";
  }

  private static String stray(String input) {
    String stray = input.strip();
    char first = stray.isEmpty() ? ' ' : stray.charAt(0);
    if (first == '\'' || first == '"') {
      return stray.contains("\\")
          ? "Expected a string with valid escapes, but %s is none. Write \\\\ for a backslash."
              .formatted(clip(stray))
          : "Expected the string %s to be closed, but it is not.".formatted(clip(stray));
    }
    String token = first == ' ' ? "a space" : "`" + clip(stray) + "`";
    return sentence(
        "Expected an operator or a value, but found " + token + ".",
        OTHERS.getOrDefault(stray, ""));
  }

  private static String found(String input) {
    return input.equals("<EOF>") ? "the text ends" : "found `" + clip(input) + "`";
  }

  private static String sentence(String message, String hint) {
    return hint.isEmpty() ? message : message + " " + hint;
  }

  private static String clip(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }
}
