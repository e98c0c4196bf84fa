package dev.signalbox.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandsTest {
  private static final String DOOR =
      """
      machine: door
      context: { locked: { type: bool, default: false } }
      states:
        CLOSED:
          waits: for someone to come
          on:
            open: { to: OPEN, when: '!ctx.locked' }
            lock: { assign: { locked: true } }
            remove: GONE
        OPEN: { after: { 1m: CLOSED }, on: { close: CLOSED } }
        GONE: { final: true }
      invariants:
        - { name: never-gone-while-open, never: OPEN -> GONE }
      """;

  @TempDir Path folder;

  @Test
  void a_good_machine_is_ok_and_its_invariants_are_told() throws Exception {
    Result result = run("check", "--json", file("door.yaml", DOOR));
    assertThat(result.code).isZero();
    Map<?, ?> line = json(result.out);
    assertThat(line.get("machine")).isEqualTo("door");
    assertThat(line.get("ok")).isEqualTo(true);
    assertThat(line.get("states")).isEqualTo(3L);
    assertThat(line.get("transitions")).isEqualTo(7L);
    assertThat(line.get("problems")).isEqualTo(List.of());
    assertThat(line.get("invariants"))
        .isEqualTo(List.of(Map.of("name", "never-gone-while-open", "verdict", "proved")));
  }

  @Test
  void a_machine_whose_root_is_parallel_is_checked_played_drawn_and_written_back()
      throws Exception {
    String twins =
        """
        machine: twins
        parallel: true
        states:
          LEFT:
            initial: A
            states: { A: { waits: x, on: { go: B } }, B: { final: true } }
          RIGHT:
            initial: C
            states: { C: { waits: x, on: { run: D } }, D: { final: true } }
        invariants:
          - { name: never-back, never: B -> A }
        """;
    String file = file("twins.yaml", twins);
    Result checked = run("check", "--json", file);
    assertThat(checked.code).as(checked.out).isZero();
    assertThat(json(checked.out).get("invariants"))
        .isEqualTo(List.of(Map.of("name", "never-back", "verdict", "proved")));

    String events = file("e.jsonl", "{\"event\":\"go\"}\n{\"event\":\"run\"}\n");
    Result played = run("play", file, "--events", events);
    assertThat(played.code).as(played.out).isZero();
    assertThat(played.out).contains("B").contains("D");

    Path scxml = folder.resolve("again.scxml");
    Path svg = folder.resolve("twins.svg");
    assertThat(run("draw", file, "-o", scxml.toString()).code).isZero();
    assertThat(run("draw", file, "-o", svg.toString()).code).isZero();
    assertThat(Files.readString(svg)).contains("<svg", "LEFT", "RIGHT");
    Result again = run("play", scxml.toString(), "--events", events);
    assertThat(again.code).as(again.out).isZero();
    assertThat(again.out.replace("again.scxml", "twins.yaml")).isEqualTo(played.out);
    Path back = folder.resolve("back.yaml");
    assertThat(run("draw", scxml.toString(), "-o", back.toString()).code).isZero();
    assertThat(Files.readString(back)).contains("parallel: true");
    assertThat(run("check", back.toString()).code).isZero();
  }

  @Test
  void a_problem_is_shown_with_its_line_a_caret_and_a_hint() throws Exception {
    Result result = run("check", file("door.yaml", DOOR.replace("close: CLOSED", "close: CLOSE")));
    assertThat(result.code).isEqualTo(1);
    assertThat(result.out)
        .contains("door.yaml:10:47: error: ")
        .contains(" 10 |   OPEN: { after: { 1m: CLOSED }, on: { close: CLOSE } }")
        .contains("    |                                               ^")
        .contains("CLOSED");
  }

  @Test
  void a_refuted_invariant_comes_with_events_that_play_shows() throws Exception {
    String bad = DOOR.replace("on: { close: CLOSED }", "on: { close: CLOSED, remove: GONE }");
    Result checked = run("check", "--json", file("door.yaml", bad));
    assertThat(checked.code).isEqualTo(1);
    Map<?, ?> verdict = map(list(json(checked.out).get("invariants")).getFirst());
    assertThat(verdict.get("verdict")).isEqualTo("refuted");
    StringBuilder events = new StringBuilder();
    list(verdict.get("events")).forEach(e -> events.append(Json.text(e)).append('\n'));
    Result played =
        run("play", file("door.yaml", bad), "--events", file("e.jsonl", events.toString()));
    assertThat(played.code).isEqualTo(1);
    assertThat(played.out).contains("never-gone-while-open");
  }

  @Test
  void play_prints_a_line_for_each_step_and_where_it_ended() throws Exception {
    String events =
        """
        {"event":"lock"}
        {"event":"open"}
        """;
    Result result = run("play", file("door.yaml", DOOR), "--events", file("e.jsonl", events));
    List<String> lines = result.out.lines().toList();
    assertThat(result.code).isEqualTo(1);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(2)).contains("guard-refused").contains("!ctx.locked");
    assertThat(json(lines.getLast()).get("states")).isEqualTo(List.of("CLOSED"));
    assertThat(json(lines.getLast()).get("final")).isEqualTo(false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"svg", "mmd", "scxml", "dot", "puml", "yaml", "json"})
  void draw_writes_every_format(String extension) throws Exception {
    Path out = folder.resolve("drawn." + extension);
    Result result = run("draw", file("door.yaml", DOOR), "-o", out.toString());
    assertThat(result.code).isZero();
    assertThat(Files.readString(out)).contains("CLOSED").contains("OPEN").contains("GONE");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmd", "scxml", "dot", "yaml"})
  void what_draw_writes_check_reads_with_the_same_graph(String extension) throws Exception {
    Path out = folder.resolve("again." + extension);
    run("draw", file("door.yaml", DOOR), "-o", out.toString());
    Map<?, ?> before = json(run("check", "--json", "--structure", file("door.yaml", DOOR)).out);
    Map<?, ?> after = json(run("check", "--json", "--structure", out.toString()).out);
    assertThat(after.get("states")).isEqualTo(before.get("states"));
    assertThat(after.get("transitions")).isEqualTo(before.get("transitions"));
  }

  @Test
  void wrong_usage_answers_2_and_says_what_was_expected() {
    assertThat(run().code).isEqualTo(2);
    assertThat(run("check").code).isEqualTo(2);
    Result unknown = run("chekc", "x");
    assertThat(unknown.code).isEqualTo(2);
    assertThat(unknown.err).contains("check");
    Result extension = run("draw", "x.yaml", "-o", "x.gif");
    assertThat(extension.code).isEqualTo(2);
    assertThat(extension.err).contains("Expected OUT to end in").contains("x.gif");
  }

  @Test
  void a_file_that_is_not_there_is_a_problem_not_an_exception() {
    Result result = run("check", folder.resolve("none.yaml").toString());
    assertThat(result.code).isEqualTo(1);
    assertThat(result.out).contains("there is none").doesNotContain("Exception");
    Result drawn = run("draw", folder.resolve("none.yaml").toString(), "-o", folder + "/none.svg");
    assertThat(drawn.code).isEqualTo(1);
    assertThat(folder.resolve("none.svg")).doesNotExist();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static Map<?, ?> json(String line) throws Json.SyntaxException {
    return map(Json.parse(line.strip()));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return (Map<?, ?>) requireNonNull(value);
  }

  private static List<?> list(@Nullable Object value) {
    return (List<?>) requireNonNull(value);
  }

  private static Result run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Main.commandLine()
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(args);
    return new Result(code, out.toString(), err.toString());
  }

  private record Result(int code, String out, String err) {}
}
