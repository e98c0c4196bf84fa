package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example of runs as its README walks it, at a real terminal: who approves says a passphrase,
 * and nothing that a program in the same shell has opens the gate.
 */
class PeopleWalkTest {
  private static final Path EXAMPLE =
      Path.of(System.getProperty("project.root")).resolve("examples/approved-run");
  private static final String PASSPHRASE = "a lantern on a rail";
  private static final String ME = System.getProperty("user.name");

  @TempDir Path folder;
  private Path here;

  @BeforeEach
  void the_example_is_here() throws Exception {
    here = Files.createDirectory(folder.resolve("here"));
    try (Stream<Path> files = Files.walk(EXAMPLE)) {
      for (Path file : files.toList()) {
        Path copy = here.resolve(EXAMPLE.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
    assertThat(shell("sh", "create.sh", "repository")).isZero();
  }

  private int shell(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .directory(here.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("shell.log").toFile())
        .start()
        .waitFor();
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private Typed typed() {
    return Typed.in(here);
  }

  @Test
  void the_readme_s_walk_ends_complete_and_nothing_but_the_passphrase_approves() throws Exception {
    Typed.Shown started = typed().unattended("run", "start", "plan.yaml");
    assertThat(started.out()).contains("signalbox approve");
    String approval = first("signalbox approve (\\S+)", started.out());
    String run = first("(RUN-[0-9A-Z-]+)", started.out());

    for (List<String> forged :
        List.of(
            List.of("approve", approval),
            List.of("approve", approval, "--as", "kim", "--role", "approver"),
            List.of("approve", approval, "--json"),
            List.of("send", approval, "approve", "--role", "approver", "--data", "{}"))) {
      Typed.Shown refused = typed().unattended(forged.toArray(String[]::new));
      assertThat(refused.code()).as(refused.out()).isEqualTo(1);
    }

    Typed.Shown approved =
        typed()
            .when("Your name [" + ME + "]: ", "kim")
            .when("at least 8 characters: ", "short")
            .when("at least 8 characters: ", PASSPHRASE)
            .when("The same again: ", PASSPHRASE)
            .when("[y/N] ", "y")
            .when("Passphrase of kim: ", "not the one")
            .when("Passphrase of kim: ", PASSPHRASE)
            .run("approve", approval);
    assertThat(approved.code()).as(approved.out()).isZero();
    assertThat(approved.out())
        .contains("git merge -q --no-ff -m 'Merge the new greeting' topic")
        .contains("That is not it.")
        .contains("is in APPROVED")
        .doesNotContain(PASSPHRASE);
    assertThat(approved.out().indexOf("git merge")).isLessThan(approved.out().indexOf("digest  "));

    Typed.Shown resumed = typed().unattended("run", "resume", run);
    assertThat(resumed.out()).contains("COMPLETE").contains("ALL_CLEAR");
    assertThat(typed().unattended("approvals", approval, "--json").out())
        .contains("\"self\":true")
        .contains("\"approvers\":[\"kim\"]");
    assertThat(typed().unattended("history", approval, "--json").out())
        .contains("by:passphrase")
        .contains("self:allowed");
    assertThat(typed().unattended("verify").code()).isZero();
    assertThat(typed().unattended("run", "verify", ".signalbox/runs/" + run).code()).isZero();
  }
}
