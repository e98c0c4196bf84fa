package dev.signalbox.services;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.services.alert.AlertRule;
import dev.signalbox.services.notification.Rules;
import dev.signalbox.services.sweep.StuckSweep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The rules that the docs show can be loaded as they stand there. */
class DocumentedRulesTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern BLOCK = Pattern.compile("(?s)```yaml\n(.*?)```");

  private static Source file(String name) throws IOException {
    return new Source(name, Files.readString(DOCS.resolve(name)));
  }

  /** The blocks of YAML on a page that begin with the word. */
  private static List<Source> blocks(String page, String word) throws IOException {
    List<Source> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(Files.readString(DOCS.resolve(page)));
    while (matcher.find()) {
      if (matcher.group(1).startsWith(word + ":")) {
        blocks.add(new Source(page, matcher.group(1)));
      }
    }
    assertThat(blocks).as("%s on %s", word, page).isNotEmpty();
    return blocks;
  }

  @Test
  void the_example_files_are_rules() throws IOException {
    assertThat(AlertRule.read(file("examples/alerts.yaml")))
        .extracting(AlertRule::name)
        .containsExactly("approvals-too-old", "tasks-pile-up");
    assertThat(Rules.read(file("examples/notifications.yaml"))).isNotNull();
  }

  @Test
  void so_are_the_ones_on_the_pages() throws IOException {
    for (Source block : blocks("operating.md", "alerts")) {
      assertThat(AlertRule.read(block)).isNotEmpty();
    }
    for (Source block : blocks("operating.md", "stuck")) {
      assertThat(StuckSweep.read(block)).isNotEmpty();
    }
    for (Source block : blocks("notifications.md", "notifications")) {
      assertThat(Rules.read(block)).isNotNull();
    }
  }
}
