package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The defects that {@code src/test/defects/run} plants fit what ships: whoever changes what a patch
 * changes is told here, and mends the patch, before the defect can't be planted any more.
 */
class PlantedDefectsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("project.root", "..")).toAbsolutePath().normalize();

  /** What a patch finds in one place of a file. */
  private record Hunk(String file, String before) {}

  @TestFactory
  Stream<DynamicTest> every_patch_finds_what_it_changes_once() throws IOException {
    Path folder = ROOT.resolve("testkit/src/test/defects");
    List<Path> patches;
    try (Stream<Path> files = Files.list(folder)) {
      patches = files.filter(file -> file.toString().endsWith(".patch")).sorted().toList();
    }
    assertThat(patches).hasSizeGreaterThanOrEqualTo(7);
    return patches.stream()
        .map(patch ->
            DynamicTest.dynamicTest(String.valueOf(patch.getFileName()), () -> check(patch)));
  }

  private static void check(Path patch) throws IOException {
    List<Hunk> hunks = hunks(Files.readAllLines(patch));
    assertThat(hunks).isNotEmpty();
    for (Hunk hunk : hunks) {
      String text = Files.readString(ROOT.resolve(hunk.file()));
      assertThat(text)
          .as("what %s changes in %s; write the patch anew", patch.getFileName(), hunk.file())
          .containsOnlyOnce(hunk.before());
    }
  }

  private static List<Hunk> hunks(List<String> lines) {
    List<Hunk> hunks = new ArrayList<>();
    String file = "";
    StringBuilder before = new StringBuilder();
    for (String line : lines) {
      boolean heading = line.startsWith("diff ") || line.startsWith("@@");
      if (heading && !before.isEmpty()) {
        hunks.add(new Hunk(file, before.toString()));
        before.setLength(0);
      }
      if (line.startsWith("+++ b/")) {
        file = line.substring("+++ b/".length());
      } else if (line.startsWith(" ") || (line.startsWith("-") && !line.startsWith("--- "))) {
        before.append(line, 1, line.length()).append('\n');
      }
    }
    if (!before.isEmpty()) {
      hunks.add(new Hunk(file, before.toString()));
    }
    return hunks;
  }
}
