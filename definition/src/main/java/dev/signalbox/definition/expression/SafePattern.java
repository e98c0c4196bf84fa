package dev.signalbox.definition.expression;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.signalbox.kernel.EvaluationException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of {@code matches}: RE2, so that matching takes time linear in the text, and no larger
 * than a bound, so that it takes little memory. RE2 for Java unrolls {@code (a{1000}){1000}} into a
 * million instructions; the size is therefore estimated before it compiles anything.
 */
final class SafePattern {
  private static final int LONGEST = 1_000;
  private static final int LARGEST = 10_000;
  private static final int DEEPEST = 50;

  private final Pattern pattern;
  private final int size;

  private SafePattern(Pattern pattern, int size) {
    this.pattern = pattern;
    this.size = size;
  }

  /**
   * The compiled pattern.
   *
   * @throws EvaluationException when the text is not a pattern, or too large a one
   */
  static SafePattern compile(String text) {
    if (text.length() > LONGEST || estimate(text) > LARGEST) {
      throw new EvaluationException(
          "Expected a smaller pattern for matches(), but it is too long or repeats too much.");
    }
    try {
      Pattern pattern = Pattern.compile(text);
      return new SafePattern(pattern, pattern.programSize());
    } catch (PatternSyntaxException e) {
      throw new EvaluationException(
          "Expected a pattern of RE2 for matches(), but: " + e.getDescription() + ".");
    }
  }

  /** Whether the pattern is found anywhere in the text. */
  boolean find(String text, @Nullable Frame frame) {
    Frame.count(frame, ((long) text.length() * Math.min(size, 64)) >> 3);
    return pattern.matcher(text).find();
  }

  /** About how many instructions the pattern becomes; too many when its groups nest too deeply. */
  private static long estimate(String text) {
    Deque<Long> outer = new ArrayDeque<>();
    long sum = 0;
    long last = 0;
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      switch (c) {
        case '\\' -> {
          i++;
          last = 1;
          sum += last;
        }
        case '[' -> {
          i = endOfClass(text, i);
          last = 2;
          sum += last;
        }
        case '(' -> {
          outer.push(sum);
          sum = 0;
          last = 0;
          if (outer.size() > DEEPEST) {
            return Long.MAX_VALUE;
          }
        }
        case ')' -> {
          last = sum + 2;
          sum = last + (outer.isEmpty() ? 0 : outer.pop());
        }
        case '{' -> {
          int end = text.indexOf('}', i);
          int times = end < 0 ? 0 : times(text.substring(i + 1, end));
          if (times > 0) {
            long repeated = Math.min(last * times, LARGEST + 1L);
            sum += repeated - last;
            last = repeated;
            i = end;
          } else {
            last = 1;
            sum += last;
          }
        }
        default -> {
          last = 1;
          sum += last;
        }
      }
      i++;
    }
    return sum;
  }

  private static int endOfClass(String text, int start) {
    int i = start + 1;
    // A bracket that comes first, or first after ^, belongs to the class.
    if (i < text.length() && text.charAt(i) == '^') {
      i++;
    }
    i++;
    while (i < text.length() && text.charAt(i) != ']') {
      i += text.charAt(i) == '\\' ? 2 : 1;
    }
    return i;
  }

  /** The largest count in {@code n}, {@code n,} or {@code n,m}; 0 when it is none of them. */
  private static int times(String counts) {
    int largest = 0;
    for (String count : counts.split(",", 2)) {
      if (count.isEmpty()) {
        continue;
      }
      if (count.length() > 4 || !count.chars().allMatch(c -> c >= '0' && c <= '9')) {
        return 0;
      }
      largest = Math.max(largest, Integer.parseInt(count));
    }
    return largest;
  }
}
