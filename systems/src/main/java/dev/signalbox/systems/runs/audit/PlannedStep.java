package dev.signalbox.systems.runs.audit;

import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.PatternSyntaxException;

/**
 * A tool or a check as the frozen plan has it.
 *
 * @param access read, test or write
 * @param writes what it says it changes: paths relative to the folder, with {@code *} and {@code
 *     **}
 * @param writing whether it may change something
 * @param approval whether it needs a person's word
 */
public record PlannedStep(
    String name,
    boolean isCheck,
    String access,
    List<String> writes,
    boolean writing,
    boolean approval,
    Map<String, Object> arguments) {

  public PlannedStep {
    writes = List.copyOf(writes);
  }

  /** Whether a path is one that it says it changes. */
  boolean covers(String path) {
    return writes.stream().anyMatch(pattern -> matches(pattern, path));
  }

  static boolean matches(String pattern, String path) {
    if (pattern.equals(path) || pattern.equals("**")) {
      return true;
    }
    if (pattern.endsWith("/**")) {
      String folder = pattern.substring(0, pattern.length() - 3);
      if (path.equals(folder) || path.startsWith(folder + "/")) {
        return true;
      }
    }
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + pattern).matches(Path.of(path));
    } catch (PatternSyntaxException | InvalidPathException e) {
      return false;
    }
  }
}
