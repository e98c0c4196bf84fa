package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import dev.signalbox.kernel.Rejection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keeps the habits that matter. */
class TidyTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  /** Calls that make a step depend on when or where it runs, and the places that own them. */
  private static final Pattern FORBIDDEN =
      Pattern.compile(
          "Instant\\.now|LocalDate(Time)?\\.now|currentTimeMillis|nanoTime|Thread\\.sleep|new"
              + " Random\\(\\)|printStackTrace");

  @Test
  void every_source_is_formatted() throws IOException, FormatterException {
    boolean apply = Boolean.getBoolean("tidy.apply");
    Formatter formatter = new Formatter();
    List<Path> untidy = new ArrayList<>();
    for (Path file : sources("src")) {
      if (file.endsWith("module-info.java")) {
        continue;
      }
      String text = Files.readString(file);
      String tidy = formatter.formatSourceAndFixImports(text);
      if (!tidy.equals(text)) {
        untidy.add(ROOT.relativize(file));
        if (apply) {
          Files.writeString(file, tidy);
        }
      }
    }
    if (!apply) {
      assertThat(untidy).as("Format with -Dtidy.apply=true, as CONTRIBUTING.md says").isEmpty();
    }
  }

  @Test
  void time_and_chance_come_in_as_values() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : sources("src/main")) {
      if (file.startsWith(ROOT.resolve("bench")) || file.startsWith(ROOT.resolve("bench-peers"))) {
        continue;
      }
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        if (FORBIDDEN.matcher(lines.get(i)).find()) {
          found.add(ROOT.relativize(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
        }
      }
    }
    assertThat(found).isEmpty();
  }

  @Test
  void every_rejection_code_is_documented_and_every_documented_one_exists() throws IOException {
    Matcher rows =
        Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE)
            .matcher(Files.readString(ROOT.resolve("docs/rejections.md")));
    TreeSet<String> documented = new TreeSet<>();
    while (rows.find()) {
      documented.add(rows.group(1));
    }
    List<String> codes = Arrays.stream(Rejection.Code.values()).map(Rejection.Code::word).toList();
    assertThat(documented).containsExactlyInAnyOrderElementsOf(codes);
  }

  @Test
  void links_between_documents_lead_somewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    Pattern link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    try (Stream<Path> files = Files.walk(ROOT, 4)) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".md"))
              .filter(f -> !f.toString().contains("/target/"))
              .toList()) {
        Matcher matcher = link.matcher(Files.readString(file));
        while (matcher.find()) {
          if (!Files.exists(file.resolveSibling(matcher.group(1)))) {
            broken.add(ROOT.relativize(file) + " -> " + matcher.group(1));
          }
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static List<Path> sources(String below) throws IOException {
    List<Path> all = new ArrayList<>();
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module :
          modules.filter(m -> Files.exists(m.resolve("pom.xml"))).sorted().toList()) {
        Path folder = module.resolve(below);
        if (Files.exists(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files.filter(f -> f.toString().endsWith(".java")).sorted().forEach(all::add);
          }
        }
      }
    }
    assertThat(all).isNotEmpty();
    return all;
  }
}
