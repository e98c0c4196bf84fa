package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.services.sandbox.Sandbox;
import dev.signalbox.services.sandbox.Unconfined;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the command line tells and hides of where tools run. */
class SandboxOptionsTest {
  @TempDir Path folder;

  @CommandLine.Command
  private static final class Some {
    @CommandLine.Mixin private SandboxOptions options = new SandboxOptions();
  }

  private static String warning(Sandbox sandbox, String... arguments) {
    Some some = new Some();
    new CommandLine(some).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    return some.options.warning(sandbox);
  }

  @Test
  void a_machine_without_a_sandbox_is_told_with_what_happens_then() {
    Sandbox none = new Unconfined("There is no 'bwrap'.");
    assertThat(warning(none)).contains("There is no 'bwrap'.", "ask a person first");
    assertThat(warning(none, "--unconfined", "refuse")).contains("are refused");
    assertThat(warning(none, "--unconfined", "allow")).contains("reach what you reach");
    assertThat(warning(Sandbox.here())).isEmpty();
  }

  @Test
  void up_says_which_sandbox_it_has() throws Exception {
    try (Up up = Up.in(folder)) {
      assertThat(up.said.get("sandbox")).isEqualTo("bubblewrap");
    }
  }

  @Test
  void what_belongs_to_a_store_is_known_wherever_it_lies() throws Exception {
    Path real = Files.createDirectories(folder.toRealPath().resolve("real"));
    Path file = Files.writeString(real.resolve("box.db"), "");
    Path link = Files.createSymbolicLink(folder.resolve("link.db"), file);
    assertThat(StoreOptions.kept("jdbc:sqlite:" + link))
        .contains(
            file,
            real.resolve("box.db-wal"),
            real.resolve("box.db.lock"),
            real.resolve("signalbox-keys"),
            folder.resolve("signalbox-keys"));
    assertThat(StoreOptions.kept("jdbc:postgresql://host/box")).isEmpty();
  }
}
