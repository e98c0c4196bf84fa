package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.server.LocalToken;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs of the frozen plan in examples/frozen-plan, from the command line and over HTTP. */
class FrozenRunCommandTest {
  @TempDir Path folder;
  private String store = "store/box.db";

  @BeforeEach
  void the_example() throws Exception {
    Files.createDirectories(folder.resolve("store"));
    FrozenExample.copyTo(folder);
    Enrolled.at("jdbc:sqlite:" + folder.resolve(store), "kim");
  }

  private record Result(int code, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    return new Result(execute(out, args), out.toString());
  }

  private int execute(StringWriter out, String... args) {
    CommandLine line = Main.commandLine(new ScriptedTerminal(Enrolled.PASSPHRASE));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", "jdbc:sqlite:" + folder.resolve(store)));
    return line.execute(all.toArray(String[]::new));
  }

  private String[] start(String... more) {
    List<String> all = new ArrayList<>(List.of("run", "start", "--frozen"));
    all.add(folder.resolve("plan").toString());
    all.add(folder.resolve("tools.yaml").toString());
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private String text(String file) throws Exception {
    return Files.readString(folder.resolve(file));
  }

  private void spoilTheGraph() throws Exception {
    Files.writeString(
        folder.resolve("plan/execution_graph.json"),
        text("plan/execution_graph.json").replace("another word", "another worD"));
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  @Test
  void a_frozen_plan_runs_to_its_review_and_from_there_to_its_end() throws Exception {
    Result started = run(start("--as", "ann"));
    assertThat(started.code()).as(started.out()).isZero();
    assertThat(started.out()).contains("greeting.lint  pass", "AWAITING_APPROVAL");
    String id = first("(RUN-GREETING-\\d{8}-\\d{6})", started.out());
    String approval = first("signalbox approve (\\S+)", started.out());
    Result approved = run("approve", approval, "--as", "kim");
    assertThat(approved.code()).as(approved.out()).isZero();

    Result resumed = run("run", "resume", id);

    assertThat(resumed.code()).as(resumed.out()).isZero();
    assertThat(resumed.out()).contains("greeting.lint-2  pass", "greeting.test  pass", "COMPLETE");
    assertThat(text("project/src/greeting.txt")).isEqualTo("Welcome, world\n");
    assertThat(run("run", "show", id).out())
        .contains(
            "coordinator's run: PLAN-6f1c2a",
            "intent: intent_new_greeting",
            "frozen plan: ",
            "graph: ",
            "greeting.lint-2: lint-again of agent.tester");
  }

  @Test
  void one_byte_of_the_graph_and_nothing_starts() throws Exception {
    spoilTheGraph();

    Result refused = run(start());

    assertThat(refused.code()).as(refused.out()).isEqualTo(1);
    assertThat(refused.out())
        .contains("manifest.json:18:7: error: Expected execution_graph.json as it was frozen")
        .contains("[checksum-differs]");
    assertThat(run("run", "list").out()).isEmpty();
    assertThat(text("project/src/greeting.txt")).isEqualTo("Hello, world\n");
  }

  @Test
  void wrong_usage_is_told_in_a_sentence() {
    Result noTools = run("run", "start", "--frozen", folder.resolve("plan").toString());
    assertThat(noTools.code()).isEqualTo(2);
    assertThat(noTools.out()).contains("PLAN.yaml").doesNotContain("Exception");
    String tools = folder.resolve("tools.yaml").toString();
    Result noFolder = run("run", "start", "--frozen", folder.resolve("gone").toString(), tools);
    assertThat(noFolder.code()).isEqualTo(1);
    assertThat(noFolder.out()).contains("Expected a frozen plan in the folder");
    Result noPlan = run("run", "start", "--frozen", folder.resolve("project").toString(), tools);
    assertThat(noPlan.code()).isEqualTo(1);
    assertThat(noPlan.out()).contains("Expected manifest.json to be there, but it is not.");
  }

  private static HttpResponse<String> post(House house, String path, Map<String, String> fields)
      throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(house.server.address() + "/api/v1" + path))
              .header("Authorization", "Bearer " + house.token("ann", "operator"))
              .header("Content-Type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(Json.text(fields)))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static Map<?, ?> json(HttpResponse<String> response) throws Exception {
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(response.body()));
  }

  @Test
  void the_same_goes_over_http() throws Exception {
    try (House house = House.open(folder)) {
      Map<String, String> texts = FrozenExample.texts(folder);
      HttpResponse<String> checked = post(house, "/runs/check", texts);
      assertThat(checked.statusCode()).as(checked.body()).isEqualTo(200);
      Map<?, ?> plan = (Map<?, ?>) Objects.requireNonNull(json(checked).get("plan"));
      assertThat(String.valueOf(plan.get("origin"))).contains("PLAN-6f1c2a");
      assertThat(RunTeller.list(plan, "tools")).hasSize(4);
      HttpResponse<String> created = post(house, "/runs", texts);
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);

      HttpResponse<String> spoilt =
          post(
              house,
              "/runs",
              Map.of(
                  "manifest",
                  text("plan/manifest.json"),
                  "graph",
                  text("plan/execution_graph.json") + "\n",
                  "tools",
                  text("tools.yaml")));
      assertThat(spoilt.statusCode()).isEqualTo(422);
      assertThat(json(spoilt).get("code")).isEqualTo("invalid-plan");
      assertThat(String.valueOf(json(spoilt).get("problems")))
          .contains("code=checksum-differs")
          .contains("source=manifest.json");
      assertThat(post(house, "/runs", Map.of("graph", "{}", "tools", "x")).statusCode())
          .isEqualTo(400);
      assertThat(post(house, "/runs", Map.of("graph", "{}", "plan", "x")).body())
          .contains("but found both");
    }
  }

  @Test
  void the_same_goes_through_a_server_that_is_up() throws Exception {
    try (House house = House.open(folder)) {
      LocalToken.in(folder, house.server.tokens(), "ann");
      ((SqliteJournal) house.box.journal()).announce(house.server.address());
      store = "house.db";

      Result started = run(start("--detach"));

      assertThat(started.code()).as(started.out()).isZero();
      String id = first("(RUN-GREETING-\\d{8}-\\d{6})", started.out());
      assertThat(run("run", "show", id).out()).contains("coordinator's run: PLAN-6f1c2a");
      Files.writeString(folder.resolve("plan/review_pack.md"), "another");
      Result refused = run(start("--detach"));
      assertThat(refused.code()).as(refused.out()).isEqualTo(1);
      assertThat(refused.out()).contains("Expected review_pack.md as it was frozen");
      assertThat(run("run", "list").out().lines()).hasSize(1);
    }
  }

  @Test
  void whoever_watches_at_a_server_is_told_how_to_answer_and_what_comes_of_it() throws Exception {
    try (House house = House.open(folder)) {
      LocalToken.in(folder, house.server.tokens(), "ann");
      ((SqliteJournal) house.box.journal()).announce(house.server.address());
      store = "house.db";
      StringWriter told = new StringWriter();
      CompletableFuture<Integer> watched =
          CompletableFuture.supplyAsync(() -> execute(told, start()));
      String approver = house.token("kim", "approver");
      for (int looks = 0; looks < 3_000 && !told.toString().contains("# "); looks++) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(told.toString()).contains("It waits for people").doesNotContain("run resume");
      String approval = first("signalbox approve (\\S+)", told.toString());

      Result approved = run("approve", approval, "--api-token", approver, "--as", "kim");

      assertThat(approved.code()).as(approved.out()).isZero();
      assertThat(watched.get(60, TimeUnit.SECONDS)).as(told.toString()).isZero();
      assertThat(told.toString()).contains("greeting.test  pass", "COMPLETE");
    }
  }
}
