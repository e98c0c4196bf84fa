package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import java.io.IOException;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Runs from the command line and over HTTP. */
class RunCommandTest {
  private static final String PLAN =
      """
      project: demo
      folder: work
      tools:
        - { name: note, command: [cp, a.txt, b.txt], writes: [b.txt] }
        - { name: merge, command: [cp, b.txt, c.txt], writes: [c.txt], risks: [merge_to_main] }
      checks:
        - { name: there, command: [test, -f, c.txt] }
      """;

  @TempDir Path folder;
  private Path plan = Path.of("");

  @BeforeEach
  void a_plan_and_its_folder() throws IOException {
    Files.createDirectories(folder.resolve("work"));
    Files.writeString(folder.resolve("work/a.txt"), "a\n");
    plan = Files.writeString(folder.resolve("plan.yaml"), PLAN);
    Files.createDirectories(folder.resolve("store"));
    Enrolled.at("jdbc:sqlite:" + folder.resolve("store/box.db"), "ann", "kim");
  }

  private record Result(int code, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine(new ScriptedTerminal(Enrolled.PASSPHRASE));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", "jdbc:sqlite:" + folder.resolve("store/box.db")));
    return new Result(line.execute(all.toArray(String[]::new)), out.toString());
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  @Test
  void a_run_waits_for_a_person_and_goes_on_from_there() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Result started = run("run", "start", plan.toString(), "--as", "ann");
    assertThat(started.code()).as(started.out()).isZero();
    assertThat(started.out()).contains("note  pass", "AWAITING_APPROVAL", "It waits for people");
    String id = first("(RUN-DEMO-\\d{8}-\\d{6})", started.out());
    String approval = first("signalbox approve (\\S+)", started.out());

    Result self = run("approve", approval, "--as", "ann");
    assertThat(self.code()).as(self.out()).isEqualTo(1);
    Result approved = run("approve", approval, "--as", "kim");
    assertThat(approved.code()).as(approved.out()).isZero();
    Result resumed = run("run", "resume", id);

    assertThat(resumed.code()).as(resumed.out()).isZero();
    assertThat(resumed.out()).contains("merge  pass", "there  pass", "COMPLETE");
    assertThat(folder.resolve("work/c.txt")).hasContent("a");
    assertThat(run("run", "list").out()).contains(id + "  COMPLETE");
    assertThat(run("run", "show", id).out())
        .contains(
            "tool merge: pass, high risk",
            "may be approved by: 1 of any approvers",
            "approval %s: merge, EXECUTED".formatted(approval),
            "approved by: kim");
    assertThat(run("run", "list", "--state", "COMPLETE").out()).contains(id);
    assertThat(run("run", "list", "--state", "EXECUTING").out()).isEmpty();
    Result unknown = run("run", "list", "--state", "DONE");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.out()).contains("found 'DONE'. They are INIT, PLANNING");
    assertThat(run("run", "watch", id, "--json").out()).contains("\"what\":\"COMPLETE\"");
  }

  private Map<?, ?> state(String id) throws Exception {
    String text = Files.readString(folder.resolve("store/runs").resolve(id + "/RUN_STATE.json"));
    return map(Json.parse(text));
  }

  /** Checks a folder; no store is named. */
  private Result verify(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine(new ScriptedTerminal(Enrolled.PASSPHRASE));
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of("run", "verify"));
    all.addAll(List.of(args));
    return new Result(line.execute(all.toArray(String[]::new)), out.toString());
  }

  @Test
  void when_a_command_has_ended_the_files_say_what_it_did_and_verify_by_themselves()
      throws Exception {
    Files.createDirectories(folder.resolve("store"));
    Result started = run("run", "start", plan.toString(), "--as", "ann");
    String id = first("(RUN-DEMO-\\d{8}-\\d{6})", started.out());
    String approval = first("signalbox approve (\\S+)", started.out());
    Path own = folder.resolve("store/runs").resolve(id);
    assertThat(state(id).get("current_state")).isEqualTo("AWAITING_APPROVAL");
    assertThat(own.resolve("PENDING").resolve(approval + ".json")).exists();

    Result halted = run("run", "halt", id, "--reason", "enough", "--as", "ann");

    assertThat(halted.code()).as(halted.out()).isZero();
    assertThat(halted.out()).contains(id + " is in HALTED_UNSAFE");
    assertThat(state(id).get("current_state")).isEqualTo("HALTED_UNSAFE");
    assertThat(own.resolve("PENDING")).isEmptyDirectory();
    assertThat(run("run", "show", id).out()).contains("halted by ann: enough");
    assertThat(run("run", "halt", id, "--reason", "again").code()).isEqualTo(1);
    assertThat(verify(own.toString())).isEqualTo(new Result(0, "Everything fits.\n"));
    assertThat(verify("--all", folder.resolve("store/runs").toString()).out())
        .isEqualTo("Everything fits.\n");

    Path ledger = own.resolveSibling("RUN_LEDGER.jsonl");
    Files.writeString(ledger, Files.readString(ledger).replaceFirst("PLANNING", "PLANNINg"));
    Result altered = verify(own.toString());
    assertThat(altered.code()).isEqualTo(1);
    assertThat(altered.out()).contains("RUN_LEDGER.jsonl", "hash-mismatch", "faults were found");
    assertThat(verify("--json", own.toString()).out()).contains("\"code\":\"hash-mismatch\"");
    Result none = verify(own.resolve("none").toString());
    assertThat(none.code()).isEqualTo(1);
    assertThat(none.out()).contains("Expected the folder of a run");
  }

  @Test
  void a_run_whose_plan_was_approved_goes_on_when_it_is_resumed() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Files.writeString(plan, "approval: person\n" + PLAN.replace(", risks: [merge_to_main]", ""));
    Result started = run("run", "start", plan.toString(), "--as", "ann");
    String id = first("(RUN-DEMO-\\d{8}-\\d{6})", started.out());
    String approval = first("signalbox approve (\\S+)", started.out());
    assertThat(run("approve", approval, "--as", "kim").code()).isZero();

    Result resumed = run("run", "resume", id);

    assertThat(resumed.out()).contains("COMPLETE").doesNotContain("It waits for people");
    assertThat(resumed.code()).isZero();
  }

  @Test
  void a_run_that_stands_still_says_how_it_goes_on() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Result started = run("run", "start", plan.toString(), "--as", "ann");
    String id = first("(RUN-DEMO-\\d{8}-\\d{6})", started.out());
    assertThat(run("pause", id).code()).isZero();

    Result watched = run("run", "watch", id);

    assertThat(watched.code()).isEqualTo(1);
    assertThat(watched.out())
        .contains("It is paused and stands still. Go on with", "signalbox run resume " + id);
    assertThat(run("run", "resume", id).out()).contains("It waits for people");
  }

  @Test
  void a_run_without_a_folder_for_its_files_is_not_started() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Path taken = Files.writeString(folder.resolve("store/runs"), "a file");

    Result refused = run("run", "start", plan.toString());

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out())
        .contains("Expected to keep the files of runs in " + taken, "' is a file. Give another");
    assertThat(run("run", "list").out()).isEmpty();
  }

  @Test
  void a_plan_that_is_no_text_is_told() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Files.write(plan, new byte[] {(byte) 0xff, 0});

    assertThat(run("run", "start", plan.toString()).out()).contains("but it is not text in UTF-8.");
    assertThat(run("run", "start", folder.toString()).out()).contains("but it is a folder.");
    assertThat(run("run", "start", "none.yaml").out()).contains("but there is no such file.");
  }

  @Test
  void a_run_that_nobody_would_do_is_not_started() throws IOException {
    Files.createDirectories(folder.resolve("store"));

    Result refused = run("run", "start", "--detach", plan.toString());

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out())
        .contains("to do the work of the run, but none is up. Start one with 'signalbox up'");
    assertThat(run("run", "list").out()).isEmpty();
  }

  @Test
  void what_is_wrong_with_a_plan_is_told_with_its_place() throws IOException {
    Files.createDirectories(folder.resolve("store"));
    Files.writeString(plan, PLAN.replace("command: [cp, a.txt, b.txt]", "comand: [cp]"));

    Result refused = run("run", "start", plan.toString());

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out()).contains("plan.yaml:4:5: error: Expected the tool to have one of");
  }

  private static Map<?, ?> json(HttpResponse<String> response) throws Exception {
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(response.body()));
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return (Map<?, ?>) Objects.requireNonNull(value);
  }

  private static HttpResponse<String> call(
      House house, String token, String method, String path, String body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(house.server.address() + "/api/v1" + path))
              .header("Authorization", "Bearer " + token)
              .header("Content-Type", "application/json")
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static Map<?, ?> until(House house, String token, String run, String state)
      throws Exception {
    for (int looks = 0; looks < 3_000; looks++) {
      Map<?, ?> story = json(call(house, token, "GET", "/runs/" + run, ""));
      if (state.equals(story.get("substate"))) {
        return story;
      }
      assertThat(story.get("status")).as("%s", story).isEqualTo("live");
      java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
    }
    throw new AssertionError("not in " + state);
  }

  @Test
  void a_run_is_started_watched_and_approved_over_http() throws Exception {
    try (House house = House.open(folder)) {
      String operator = house.token("ann", "operator");
      String approver = house.token("kim", "approver");
      HttpResponse<String> bad =
          call(house, operator, "POST", "/runs", Json.text(Map.of("plan", "project: x")));
      assertThat(bad.statusCode()).isEqualTo(422);
      assertThat(json(bad).get("code")).isEqualTo("invalid-plan");
      HttpResponse<String> outside =
          call(
              house,
              operator,
              "POST",
              "/runs",
              Json.text(Map.of("plan", PLAN.replace("folder: work", "folder: /"))));
      assertThat(outside.statusCode()).as(outside.body()).isEqualTo(400);
      assertThat(
              call(house, approver, "POST", "/runs", Json.text(Map.of("plan", PLAN))).statusCode())
          .isEqualTo(403);

      HttpResponse<String> created =
          call(house, operator, "POST", "/runs", Json.text(Map.of("plan", PLAN)));
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
      String run = String.valueOf(json(created).get("run_id"));
      Map<?, ?> waiting = until(house, operator, run, "awaiting_decision");
      String approval = String.valueOf(RunTeller.list(waiting, "approvals_pending").getFirst());
      Map<?, ?> asked = json(call(house, approver, "GET", "/approvals/" + approval, ""));
      try (Remote token = new Remote(house.server.address(), approver);
          Remote kim =
              java.util.Objects.requireNonNull(token.asPerson("kim", Enrolled.passphrase()))) {
        Map<?, ?> _ =
            kim.post(
                "/approvals/" + approval + "/approve",
                Map.of("digest", String.valueOf(asked.get("digest"))));
      }
      Map<?, ?> story = until(house, operator, run, "COMPLETE");

      Map<?, ?> merge = (Map<?, ?>) RunTeller.list(story, "tools").get(1);
      Map<?, ?> attempt = (Map<?, ?>) RunTeller.list(merge, "attempts").getFirst();
      List<?> evidence = RunTeller.list(attempt, "evidence");
      Map<?, ?> diff =
          (Map<?, ?>)
              evidence.stream()
                  .filter(e -> "diff".equals(((Map<?, ?>) e).get("name")))
                  .findFirst()
                  .orElseThrow();
      HttpResponse<String> bytes =
          call(house, operator, "GET", "/runs/" + run + "/evidence/" + diff.get("sha256"), "");
      assertThat(bytes.statusCode()).isEqualTo(200);
      assertThat(bytes.body()).contains("+a");
      assertThat(
              call(house, operator, "GET", "/runs/" + run + "/evidence/" + "0".repeat(64), "")
                  .statusCode())
          .isEqualTo(404);
      assertThat(
              RunTeller.list(json(call(house, operator, "GET", "/runs?project=DEMO", "")), "runs"))
          .hasSize(1);
      assertThat(call(house, operator, "GET", "/runs?state=DONE", "").statusCode()).isEqualTo(400);
      Map<?, ?> request = (Map<?, ?>) RunTeller.list(story, "requests").getFirst();
      assertThat(request.get("digest")).isEqualTo(asked.get("digest"));
      assertThat(RunTeller.list(request, "approvers").toString()).isEqualTo("[kim]");
    }
  }

  @Test
  void a_run_that_was_paused_is_resumed_and_halted_over_http() throws Exception {
    try (House house = House.open(folder)) {
      String operator = house.token("ann", "operator");
      Map<?, ?> created =
          json(call(house, operator, "POST", "/runs", Json.text(Map.of("plan", PLAN))));
      String run = String.valueOf(created.get("run_id"));
      until(house, operator, run, "awaiting_decision");
      assertThat(call(house, operator, "POST", "/instances/" + run + "/pause", "{}").statusCode())
          .isEqualTo(200);
      assertThat(json(call(house, operator, "GET", "/runs/" + run, "")).get("status"))
          .isEqualTo("paused");

      HttpResponse<String> resumed =
          call(house, operator, "POST", "/runs/" + run + "/resume", "{}");
      assertThat(resumed.statusCode()).as(resumed.body()).isEqualTo(200);
      assertThat(json(call(house, operator, "GET", "/runs/" + run, "")).get("status"))
          .isEqualTo("live");
      HttpResponse<String> halted =
          call(
              house,
              operator,
              "POST",
              "/runs/" + run + "/halt",
              Json.text(Map.of("reason", "enough")));
      assertThat(halted.statusCode()).as(halted.body()).isEqualTo(200);

      Map<?, ?> story = until(house, operator, run, "HALTED_UNSAFE");
      assertThat(story.get("failure")).isEqualTo("halted by ann: enough");
    }
  }

  @Test
  void who_approves_which_tool_is_told_before_and_after_a_run_starts() throws Exception {
    String own =
        PLAN.replace(
            "risks: [merge_to_main]",
            "risks: [merge_to_main], approvers: { quorum: 2, assigned_to: [kim, lee] }");
    try (House house = House.open(folder)) {
      String operator = house.token("ann", "operator");

      HttpResponse<String> wrong =
          call(
              house,
              operator,
              "POST",
              "/runs/check",
              Json.text(Map.of("plan", own.replace("quorum: 2", "quorum: 3"))));
      assertThat(wrong.statusCode()).isEqualTo(422);
      Map<?, ?> problem = (Map<?, ?>) RunTeller.list(json(wrong), "problems").getFirst();
      assertThat(problem.get("line") + ":" + problem.get("column")).isEqualTo("5:127");

      Map<?, ?> judged =
          json(call(house, operator, "POST", "/runs/check", Json.text(Map.of("plan", own))));
      List<?> tools = RunTeller.list(map(judged.get("plan")), "tools");
      Map<?, ?> said =
          Map.of("quorum", 2L, "roles", List.of(), "assigned_to", List.of("kim", "lee"));
      assertThat(map(tools.getFirst()).containsKey("approvers")).isFalse();
      assertThat(map(tools.getLast()).get("approvers")).isEqualTo(said);

      Map<?, ?> created =
          json(call(house, operator, "POST", "/runs", Json.text(Map.of("plan", own))));
      Map<?, ?> story =
          until(house, operator, String.valueOf(created.get("run_id")), "awaiting_decision");
      tools = RunTeller.list(story, "tools");
      assertThat(map(map(tools.getFirst()).get("approvers")).get("quorum")).isEqualTo(1L);
      assertThat(map(tools.getLast()).get("approvers")).isEqualTo(said);
      StringWriter report = new StringWriter();
      RunReport.print(story, new PrintWriter(report, true));
      assertThat(report.toString()).contains("may be approved by: 2 of kim, lee");
    }
  }

  @Test
  void a_plan_that_an_agent_starts_needs_a_person() throws Exception {
    try (House house = House.open(folder)) {
      String agent = house.token("robot", "agent");
      HttpResponse<String> created =
          call(house, agent, "POST", "/runs", Json.text(Map.of("plan", PLAN)));
      assertThat(created.statusCode()).as(created.body()).isEqualTo(201);

      String run = String.valueOf(json(created).get("run_id"));
      Map<?, ?> story = until(house, house.token("ann", "operator"), run, "HALTED_UNSAFE");

      assertThat(String.valueOf(story.get("failure"))).contains("Say approval: person");
    }
  }
}
