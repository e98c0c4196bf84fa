package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a command answers when it is called wrongly or the files are not what they should be. */
class CommandMistakesTest {
  private static final String LAMP =
      """
      machine: lamp
      states:
        OFF: { waits: for a hand, on: { press: ON } }
        ON: { after: { 1h: OFF }, on: { press: OFF, break: BROKEN } }
        BROKEN: { final: true }
      """;

  @TempDir Path folder;
  private String lamp = "";

  @BeforeEach
  void a_lamp() throws IOException {
    lamp = file("lamp.yaml", LAMP);
  }

  @Test
  void a_drawing_that_cannot_be_written_is_told_in_a_sentence() throws IOException {
    Files.createDirectories(folder.resolve("taken.svg"));
    Path plain = Path.of(file("plain", "x"));

    Answer taken = run("draw", lamp, "-o", folder.resolve("taken.svg").toString());
    Answer below = run("draw", lamp, "-o", plain.resolve("x.svg").toString());

    assertThat(taken.code).isEqualTo(1);
    assertThat(taken.err).contains("Expected to write").contains("it is a folder");
    assertThat(below.code).isEqualTo(1);
    assertThat(below.err).contains("Expected to write").doesNotContain("Exception");
    assertThat(folder.resolve("taken.svg")).isEmptyDirectory();
    assertThat(names()).containsExactlyInAnyOrder("lamp.yaml", "plain", "taken.svg");
  }

  @ParameterizedTest
  @CsvSource({
    "sned,signalbox send",
    "strat,signalbox start",
    "machnies,signalbox machines",
    "verfy,signalbox verify",
    "hist,signalbox history",
    "appro,signalbox approvals or signalbox approve",
    "aprove,signalbox approve"
  })
  void a_mistyped_command_is_answered_with_the_nearest(String typed, String meant) {
    Answer answer = run(typed, "o-1");

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err.lines().skip(1)).containsExactly("Did you mean: " + meant + "?");
  }

  @Test
  void a_mistyped_option_or_command_below_another_is_answered_too() {
    Answer option = run("list", "--machnie", "lamp");
    Answer given = run("list", "--statsu=live");
    Answer below = run("run", "satrt");

    assertThat(option.err).contains("--machnie").endsWith("Did you mean: --machine?\n");
    assertThat(given.err).endsWith("Did you mean: --status?\n");
    assertThat(below.err).endsWith("Did you mean: signalbox run start?\n");
    assertThat(List.of(option.code, given.code, below.code)).containsOnly(2);
  }

  @Test
  void a_word_that_is_near_nothing_is_answered_with_the_usage() {
    Answer answer = run("xylophone");

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err).contains("'xylophone'", "Usage: signalbox").doesNotContain("Did you");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "noext", "x.gif", ".."})
  void an_output_without_a_known_extension_is_wrong_usage(String out) {
    Answer answer = run("draw", lamp, "-o", out);

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err).contains("Expected OUT to end in .svg or one of .yaml .scxml");
  }

  @Test
  void the_input_is_not_overwritten() throws IOException {
    Answer answer = run("draw", lamp, "-o", folder.resolve("./lamp.yaml").toString());

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err).contains("another file");
    assertThat(Files.readString(Path.of(lamp))).isEqualTo(LAMP);
  }

  @Test
  void a_machine_with_errors_is_drawn_and_answered_with_1() throws IOException {
    String bad = file("bad.yaml", LAMP.replace("press: ON", "press: ONN"));
    Path out = folder.resolve("bad.svg");

    Answer answer = run("draw", bad, "-o", out.toString());

    assertThat(answer.code).isEqualTo(1);
    assertThat(answer.err).contains("no state 'ONN'");
    assertThat(out).exists();
  }

  @Test
  void a_diagram_that_leaves_its_start_open_is_drawn_and_answered_with_0() throws IOException {
    String open = file("open.mmd", "stateDiagram-v2\nA --> B\nA --> C\n");

    Answer answer = run("draw", "--json", open, "-o", folder.resolve("open.yaml").toString());

    assertThat(answer.code).isZero();
    assertThat(answer.err).contains("missing-start").contains("unlabelled-fan-out");
    assertThat(answer.out).contains("\"states\":3").contains("\"transitions\":2");
  }

  @Test
  void a_machine_that_is_not_there_is_named_with_those_that_are() {
    Answer answer = run("paths", lamp, "--machine", "lantern");

    assertThat(answer.code).isEqualTo(1);
    assertThat(answer.err).contains("Expected a machine 'lantern'").contains("only: lamp");
  }

  @Test
  void events_that_cannot_be_read_are_told_in_a_sentence() throws IOException {
    Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xC3, 0x28});

    assertThat(run("play", lamp, "--events", folder.resolve("none").toString()).err)
        .contains("there is no such file")
        .doesNotContain("Exception");
    assertThat(run("play", lamp, "--events", folder.toString()).err).contains("it is a folder");
    assertThat(run("play", lamp, "--events", binary.toString()).err).contains("UTF-8");
  }

  @ParameterizedTest
  @CsvSource({
    "check, --bound, -1",
    "check, --bound, 0",
    "check, --bound, many",
    "paths, --bound, 99999999999",
    "play, --steps, 0"
  })
  void a_number_that_cannot_be_is_wrong_usage(String command, String option, String number) {
    Answer answer = run(command, lamp, option, number);

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err).contains("Expected a whole number from 1").contains(number);
  }

  @ParameterizedTest
  @CsvSource({
    "--port, 65536, from 0 to 65535",
    "--port, -1, from 0 to 65535",
    "--port, http, from 0 to 65535",
    "--look-every, 0, from 1 to 3600",
    "--sweep-every, often, from 0 to 10000"
  })
  void a_number_that_up_cannot_use_is_wrong_usage(String option, String number, String range) {
    Answer answer = run("up", "--data", folder.resolve("data").toString(), option, number);

    assertThat(answer.code).isEqualTo(2);
    assertThat(answer.err).contains("Expected a whole number " + range).contains(number);
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void what_up_cannot_use_is_told_in_a_sentence() throws IOException {
    String plain = file("plain", "x");
    String data = folder.resolve("data").toString();

    assertThat(run("up", "--data", plain, "--port", "0").err)
        .contains("Expected to use the folder " + plain, "is a file")
        .doesNotContain("Exception");
    assertThat(run("up", "--data", data, "--host", "0.0.0.0", "--port", "0").err)
        .contains("there is no TLS. Give --tls-certificate and --tls-key, or --insecure");
    assertThat(run("up", "--data", data, "--db", "mysql://x", "--port", "0").err)
        .contains("Expected")
        .doesNotContain("Exception");
    assertThat(run("up", "--data", data, "--traces", "nowhere", "--port", "0").err)
        .contains("Expected an address such as http://127.0.0.1:4318/v1/traces after --traces");
    assertThat(run("up", "--data", data, "--webhook-secrets", plain, "--port", "0").err)
        .contains("Expected a folder after --webhook-secrets");
    assertThat(run("up", "--data", data, "--tls-key", plain).code).isEqualTo(2);
    Answer keys =
        run(
            "up",
            "--data",
            data,
            "--port",
            "0",
            "--tls-key",
            plain,
            "--tls-certificate",
            folder.resolve("none.pem").toString());
    assertThat(keys.code).isEqualTo(1);
    assertThat(keys.err).contains("Expected certificates in", "none.pem").doesNotContain("\tat ");
    Answer issuer =
        run(
            "up",
            "--data",
            data,
            "--port",
            "0",
            "--oidc-issuer",
            "https://id.example",
            "--oidc-audience",
            "signalbox",
            "--oidc-keys",
            plain);
    assertThat(issuer.code).isEqualTo(1);
    assertThat(issuer.err).contains("Expected").doesNotContain("\tat ");
  }

  @Test
  void what_an_option_cannot_hold_is_wrong_usage() {
    String db = "jdbc:sqlite:" + folder.resolve("box.db");
    assertThat(run("publish", lamp, "--db", db).code).isZero();
    for (String[] wrong :
        new String[][] {
          {"start", "lamp", "--id", "two words", "an id of at most 200"},
          {"start", "lamp", "--input", "{bad", "Expected JSON after --input"},
          {"start", "lamp", "--input", "[1]", "Expected a JSON object after --input"},
          {"send", "l-1", "press", "--data", "{bad", "Expected JSON after --data"},
          {"show", "l-1", "--at", "x", "Expected a whole number, but found 'x'"},
          {"watch", "--after", "x", "Expected a whole number, but found 'x'"},
          {"watch", "--after", "-1", "Expected a position from 0"}
        }) {
      String[] args = Arrays.copyOf(wrong, wrong.length + 1);
      args[wrong.length - 1] = "--db";
      args[wrong.length] = db;
      Answer answer = run(args);
      assertThat(answer.code).as(String.join(" ", args)).isEqualTo(2);
      assertThat(answer.err).contains(wrong[wrong.length - 1]);
    }
  }

  @Test
  void a_list_without_anything_says_so_to_people_and_is_empty_for_programs() {
    String db = "jdbc:sqlite:" + folder.resolve("box.db");
    assertThat(run("publish", lamp, "--db", db).code).isZero();
    for (String list : List.of("list", "tasks", "workers", "locks", "token list")) {
      List<String> args = new ArrayList<>(List.of(list.split(" ")));
      args.addAll(List.of("--db", db));
      Answer answer = run(args.toArray(String[]::new));
      assertThat(answer.code).as(list).isZero();
      assertThat(answer.out).as(list).isEmpty();
      assertThat(answer.err.strip()).as(list).isEqualTo("Nothing fits.");
      args.add("--json");
      assertThat(run(args.toArray(String[]::new)).err).as(list).isEmpty();
    }
  }

  @Test
  void help_says_of_every_command_in_a_whole_sentence_what_it_does() {
    Main.commandLine()
        .getSubcommands()
        .forEach((name, command) ->
            assertThat(command.getCommandSpec().usageMessage().description()[0])
                .as(name)
                .endsWith("."));
  }

  @Test
  void what_token_and_mcp_cannot_use_is_told_in_a_sentence() throws IOException {
    String db = "jdbc:sqlite:" + folder.resolve("box.db");
    assertThat(run("token", "create", "bob", "--db", db).code).isEqualTo(2);
    assertThat(run("token", "create", "bob", "--may", "system", "--db", db).err)
        .contains("'system' is the engine's own");
    assertThat(run("token", "create", "bob", "--may", "agent", "--may", "admin", "--db", db).err)
        .contains("an agent to have no other role of the API");
    assertThat(run("token", "create", "bob", "--may", "viewer", "--days", "0", "--db", db).err)
        .contains("Expected");
    assertThat(run("token", "revoke", "none", "--db", db).err).contains("none");
    assertThat(run("token", "link", "--db", db).err).contains("Start it with 'signalbox up'");
    assertThat(run("token").code).isEqualTo(2);
    assertThat(run("mcp", "--data", file("plain", "x")).err)
        .contains("Expected to use the folder", "is a file");
    assertThat(run("mcp", "--data", folder.toString(), "--role", "admin").err)
        .contains("an agent can't be admin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"check", "play", "paths", "draw"})
  void with_json_every_line_is_json_even_of_a_failure(String command) {
    String none = folder.resolve("none.yaml").toString();
    Answer answer =
        command.equals("draw")
            ? run(command, "--json", none, "-o", folder.resolve("x.svg").toString())
            : run(command, "--json", none);

    assertThat(answer.code).isEqualTo(1);
    assertThat((answer.out + answer.err).lines()).isNotEmpty().allMatch(l -> l.startsWith("{\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"check", "play", "paths", "draw"})
  void every_command_explains_itself(String command) {
    Answer answer = run(command, "--help");

    assertThat(answer.code).isZero();
    assertThat(answer.out).contains("Usage: signalbox " + command).contains("--json");
  }

  @Test
  void an_empty_a_binary_and_an_unknown_file_are_problems() throws IOException {
    Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xFF, 0, 1});

    for (String name : new String[] {"e.yaml", "e.scxml", "e.mmd", "e.md", "e.dot", "e.what"}) {
      Answer answer = run("check", file(name, ""));
      assertThat(answer.code).as(name).isEqualTo(1);
      assertThat(answer.out).as(name).contains(name + ":1:1: error: Expected ");
    }
    assertThat(run("check", binary.toString()).out).contains("Expected text in UTF-8");
    assertThat(run("check", folder.toString()).out).contains("it is a folder");
  }

  @Test
  void control_characters_do_not_reach_the_terminal() throws IOException {
    Answer answer = run("check", file("odd.mmd", "\u0000\u001B[31mred\u0007"));

    assertThat(answer.out).doesNotContain("\u001B").doesNotContain("\u0000").contains("[31mred");
  }

  private Iterable<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).toList();
    }
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Answer run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    return new Answer(code, out.toString(), err.toString());
  }

  private record Answer(int code, String out, String err) {}
}
