package dev.signalbox.systems;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pages in {@code docs/systems} say what the machines say. */
class SystemPagesTest {

  static List<String> systems() {
    return SystemPage.systems();
  }

  @ParameterizedTest
  @MethodSource("systems")
  void a_page_is_what_its_machines_give(String system) throws IOException {
    Path page = Path.of(System.getProperty("project.root"), "docs", "systems", system + ".md");
    String generated = SystemPage.of(system);
    if (Boolean.getBoolean("pages.write")) {
      Files.createDirectories(page.getParent());
      Files.writeString(page, generated);
    }

    assertThat(page)
        .as(
            "write it with: mvn test -pl systems -am -Dtest=SystemPagesTest"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dpages.write=true")
        .hasContent(generated);
  }
}
