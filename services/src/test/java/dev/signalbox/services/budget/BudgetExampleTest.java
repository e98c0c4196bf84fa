package dev.signalbox.services.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.runtime.Signalbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The example of docs/budgets.md, as it stands there. */
class BudgetExampleTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @Test
  void the_example_runs() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Signalbox box = Signalbox.open("memory:")) {
      example(box, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8).strip()).isEqualTo("496880");
  }

  @Test
  void the_page_shows_what_runs_here() throws IOException {
    String here =
        Files.readString(
            ROOT.resolve(
                "services/src/test/java/dev/signalbox/services/budget/BudgetExampleTest.java"));
    String own =
        here.substring(
                here.lastIndexOf("// example\n") + 11, here.lastIndexOf("    // end of example"))
            .replace("out.println", "System.out.println")
            .replaceAll("(?m)^    ", "");
    Matcher fence =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs/budgets.md")));
    assertThat(fence.find()).isTrue();
    assertThat(fence.group(1)).isEqualTo(own);
  }

  private static void example(Signalbox box, PrintStream out) {
    // example
    Budgets budgets = Budgets.on(box);
    String id =
        budgets.open(
            "session-7",
            Account.of("session", Map.of("tokens", 500_000L, "calls", 200L))
                .telling("session-7", "budget_exhausted", "budget_replenished"),
            Account.of("session/planner", Map.of("tokens", 100_000L)));

    Map<String, Long> most = Map.of("tokens", 4_000L, "calls", 1L);
    switch (budgets.reserve(id, "session/planner", most, Duration.ofMinutes(2))) {
      case Grant.Reserved held -> {
        // call the model, then say what it took
        budgets.settle(held, Map.of("tokens", 3_120L, "calls", 1L));
      }
      case Grant.Refused(Grant.Reason reason, String why) -> out.println(reason + ": " + why);
    }
    out.println(budgets.line(id, "session", "tokens").left());
    // end of example
  }
}
