package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every code of a problem is documented, and every documented one exists. */
class ProblemCodesTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  /** A text of several words joined by dashes is a code wherever it stands. */
  private static final Pattern DASHED = Pattern.compile("\"([a-z][a-z0-9]*(?:-[a-z0-9]+)+)\"");

  /** One word is a code where a problem is made. */
  private static final Pattern REPORTED =
      Pattern.compile(
          "\\b(?:error|warning|errorIfStrict|fail|failed|failAt|stop|Problem)\\("
              + "\\s*(?:[\\w.()]{1,80},\\s*){0,2}\"([a-z][a-z0-9]*)\"\\s*,");

  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?:\\*|//).*$");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ((?:`[a-z0-9-]+`(?:, )?)+) \\|");

  /** Texts with dashes that are no codes: two elements of SCXML, and a text to try guards with. */
  private static final Set<String> OTHERS = Set.of("leads-to", "one-at-a-time", "a-b");

  private static Set<String> given() throws IOException {
    Set<String> codes = new TreeSet<>();
    Path sources = ROOT.resolve("definition/src/main/java");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
        if (sources.relativize(file).toString().contains("/draw/")) {
          continue; // Its dashes are names of SVG and CSS.
        }
        String text = COMMENT.matcher(Files.readString(file)).replaceAll("");
        for (Pattern pattern : List.of(DASHED, REPORTED)) {
          Matcher matcher = pattern.matcher(text);
          while (matcher.find()) {
            codes.add(matcher.group(1));
          }
        }
      }
    }
    codes.removeAll(OTHERS);
    return codes;
  }

  private static Set<String> documented(String page) throws IOException {
    Set<String> codes = new TreeSet<>();
    Matcher rows = ROW.matcher(Files.readString(ROOT.resolve("docs").resolve(page)));
    while (rows.find()) {
      for (String code : rows.group(1).split(", ")) {
        codes.add(code.replace("`", ""));
      }
    }
    return codes;
  }

  @Test
  void every_code_of_a_problem_is_documented_and_every_documented_one_exists() throws IOException {
    assertThat(documented("checks.md")).containsExactlyInAnyOrderElementsOf(given());
    assertThat(given()).containsAll(documented("problems.md"));
  }

  @Test
  void every_message_of_the_table_is_a_whole_sentence() throws IOException {
    List<String> rows =
        Files.readAllLines(ROOT.resolve("docs/checks.md")).stream()
            .filter(l -> l.startsWith("| `"))
            .toList();

    assertThat(rows).isNotEmpty().allMatch(r -> r.matches("\\| `[a-z0-9-]+` \\| [A-Z].*[.…] \\|"));
  }
}
