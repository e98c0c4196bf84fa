package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.budget.Account;
import dev.signalbox.services.budget.Budgets;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands of docs/budgets.md. */
class BudgetCommandsTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @Test
  void the_page_s_commands_work(@TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("box.db");
    String id;
    try (Signalbox box = Signalbox.open(url)) {
      id = Budgets.on(box).open("session-7", Account.of("session", Map.of("tokens", 500_000L)));
    }
    int commands = 0;
    for (String line : Files.readAllLines(ROOT.resolve("docs/budgets.md"))) {
      if (line.startsWith("./signalbox ")) {
        List<String> words = new ArrayList<>(words(line.replace("ID", id)));
        words.addAll(List.of("--db", url));
        StringWriter out = new StringWriter();
        CommandLine cli = Main.commandLine();
        cli.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        assertThat(cli.execute(words.toArray(String[]::new))).as(out.toString()).isZero();
        commands++;
      }
    }
    assertThat(commands).isEqualTo(2);
    try (Signalbox box = Signalbox.open(url)) {
      assertThat(Budgets.on(box).line(id, "session", "tokens").limit()).isEqualTo(600_000);
    }
  }

  /** The words after the program's name, as a shell sees them. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = Pattern.compile("'([^']*)'|(\\S+)").matcher(line);
    while (matcher.find()) {
      words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
    return words.subList(1, words.size());
  }
}
