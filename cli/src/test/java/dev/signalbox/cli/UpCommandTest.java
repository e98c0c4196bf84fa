package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line goes through the server that is up on the store. */
class UpCommandTest {
  private static final String MACHINE =
      """
      machine: lamp
      states:
        OFF:
          waits: somebody
          on: { press: ON }
        ON:
          waits: somebody
          on: { press: OFF, break: BROKEN }
        BROKEN: { final: true }
      """;

  @TempDir Path folder;

  private record Result(int exit, String out, String err) {}

  private Result run(String... args) {
    CommandLine line = Main.commandLine();
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--db");
    all.add("jdbc:sqlite:" + folder.resolve("signalbox.db"));
    int exit = line.execute(all.toArray(String[]::new));
    return new Result(exit, out.toString(), err.toString());
  }

  @Test
  void commands_use_the_server_that_is_up_and_the_store_itself_afterwards() throws Exception {
    Path machine = folder.resolve("lamp.yaml");
    Files.writeString(machine, MACHINE);
    InstantSource clock = InstantSource.system();
    SqliteJournal journal = SqliteJournal.open(folder.resolve("signalbox.db"), clock);
    try (Signalbox box = Signalbox.open(journal, Settings.DEFAULT, clock);
        Server server =
            Server.start(
                box, List.of(), ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(folder), clock)) {
      LocalToken.in(folder, server.tokens(), "ann");
      journal.announce(server.address());
      assertThat(Files.getPosixFilePermissions(LocalToken.file(folder)))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));

      assertThat(run("publish", machine.toString()).out()).contains("published lamp version 1");
      assertThat(run("machines").out()).contains("lamp version 1");
      assertThat(run("start", "lamp", "--id", "l-1").out()).contains("l-1 is in OFF");
      assertThat(run("send", "l-1", "press", "--key", "k").out()).contains("l-1 is in ON");
      assertThat(run("send", "l-1", "press", "--key", "k").out()).contains("entry 2");
      Result refused = run("send", "l-1", "fly");
      assertThat(refused.exit()).isEqualTo(1);
      assertThat(refused.out()).contains("no-transition");
      assertThat(run("show", "l-1").out()).contains("waits for press, break");
      assertThat(run("list", "--machine", "lamp").out()).contains("l-1");
      assertThat(run("history", "l-1").out()).contains("press by ann");
      assertThat(run("history", "l-1", "--refusals").out()).contains("refused:");
      assertThat(run("send", "l-1", "press", "--as", "someone").err()).contains("--api-token");

      String secret = run("token", "create", "bob", "--may", "viewer").out().strip();
      assertThat(run("show", "l-1", "--api-token", secret).exit()).isZero();
      Result viewer = run("send", "l-1", "press", "--api-token", secret);
      assertThat(viewer.exit()).isEqualTo(1);
      assertThat(viewer.err()).contains("forbidden");
      String id =
          run("token", "list")
              .out()
              .lines()
              .filter(l -> l.contains("bob"))
              .findFirst()
              .orElseThrow()
              .split(" ")[0];
      assertThat(run("token", "revoke", id).out()).contains("REVOKED");
      assertThat(run("show", "l-1", "--api-token", secret).err()).contains("unauthenticated");
      assertThat(run("token", "link").out()).contains("/sign-in#");
    }
    assertThat(run("show", "l-1").out()).contains("in ON");
    assertThat(run("history", "l-1").out()).contains("press by ann");
  }

  @Test
  void history_through_the_server_is_what_the_journal_has() throws Exception {
    InstantSource clock = InstantSource.system();
    SqliteJournal journal = SqliteJournal.open(folder.resolve("signalbox.db"), clock);
    String remote;
    try (Signalbox box = Signalbox.open(journal, Settings.DEFAULT, clock);
        Server server =
            Server.start(
                box, List.of(), ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(folder), clock)) {
      LocalToken.in(folder, server.tokens(), "ann");
      journal.announce(server.address());
      box.publish(MachineReader.read(new Source("lamp.yaml", MACHINE)));
      run("start", "lamp", "--id", "l-1");
      run("send", "l-1", "press");
      remote = run("history", "l-1", "--json").out();
    }
    assertThat(run("history", "l-1", "--json").out()).isEqualTo(remote);
  }
}
