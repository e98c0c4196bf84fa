package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.definition.check.Check;
import dev.signalbox.definition.check.CheckReport;
import dev.signalbox.definition.check.Verdict;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's examples, as they stand there. */
class ReadmeTest {
  private static final Path ROOT = Path.of(System.getProperty("project.root"));

  @Test
  void the_first_machine_is_sound_and_its_invariants_hold() throws IOException {
    CheckReport report =
        Check.run(MachineReader.readAll(new Source("deploy.yaml", block("yaml")), null).getFirst());
    assertThat(report.problems()).isEmpty();
    assertThat(report.invariants()).hasSize(2).allMatch(v -> v instanceof Verdict.Proved);
  }

  @Test
  void the_java_example_prints_what_the_readme_says(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("deploy.yaml"), block("yaml"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    example(file, folder, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    String said =
        bytes.toString(StandardCharsets.UTF_8).strip().replaceAll("'deploy-\\w+'", "'deploy-…'");
    assertThat(Files.readString(ROOT.resolve("README.md"))).contains("It prints `" + said + "`");
  }

  @Test
  void the_java_example_is_the_one_that_runs_here() throws IOException {
    String here =
        Files.readString(ROOT.resolve("cli/src/test/java/dev/signalbox/cli/ReadmeTest.java"));
    String own =
        here.substring(
            here.lastIndexOf("// example\n") + 11, here.lastIndexOf("    // end of example"));
    String expected =
        own.replace("MachineReader.read(file)", "MachineReader.read(Path.of(\"deploy.yaml\"))")
            .replace("jdbc:sqlite:\" + folder + \"/deploys.db", "jdbc:sqlite:deploys.db")
            .replace("out.println", "System.out.println")
            .replaceAll("(?m)^    ", "");
    assertThat(block("java")).isEqualTo(expected);
  }

  private static void example(Path file, Path folder, PrintStream out) {
    // example
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder + "/deploys.db")) {
      box.publish(MachineReader.read(file));
      Instance deploy = box.start("deploy", Map.of());
      switch (box.send(deploy.id(), "start")) {
        case Reply.Accepted(Receipt receipt) -> out.println(receipt.states());
        case Reply.Rejected(Rejection no) -> out.println(no.message());
      }
    }
    // end of example
  }

  private static String block(String language) throws IOException {
    Matcher fence =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("README.md")));
    assertThat(fence.find()).isTrue();
    return fence.group(1);
  }
}
