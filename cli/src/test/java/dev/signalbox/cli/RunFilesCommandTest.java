package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Keyring;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.systems.runs.Plan;
import dev.signalbox.systems.runs.PlanReader;
import dev.signalbox.systems.runs.Runs;
import dev.signalbox.systems.runs.file.RunVerifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** When a command has ended, the files of runs show what it did; no tool ran for that. */
class RunFilesCommandTest {
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
  private Path runs = Path.of("");
  private String url = "";
  private String id = "";
  private String approval = "";

  @BeforeEach
  void a_run_waits_for_a_person() throws Exception {
    Files.createDirectories(folder.resolve("work"));
    Files.createDirectories(folder.resolve("store"));
    Files.writeString(folder.resolve("work/a.txt"), "a\n");
    Path plan = Files.writeString(folder.resolve("plan.yaml"), PLAN);
    url = "jdbc:sqlite:" + folder.resolve("store/box.db");
    runs = folder.resolve("store/runs");
    String told = good("run", "start", plan.toString(), "--as", "ann");
    id = first("(RUN-DEMO-\\d{8}-\\d{6})", told);
    approval = first("signalbox approve (\\S+)", told);
    assertThat(state()).isEqualTo("AWAITING_APPROVAL");
    assertThat(pending()).containsExactly(approval + ".json");
  }

  private record Result(int code, String out) {}

  private Result run(String... args) {
    StringWriter out = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    List<String> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--db", url));
    return new Result(line.execute(all.toArray(String[]::new)), out.toString());
  }

  private String good(String... args) {
    Result result = run(args);
    assertThat(result.code()).as(result.out()).isZero();
    return result.out();
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  private Map<?, ?> fields() throws Exception {
    String text = Files.readString(runs.resolve(id).resolve("RUN_STATE.json"));
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(text));
  }

  private Object state() throws Exception {
    return Objects.requireNonNull(fields().get("current_state"));
  }

  private List<String> pending() throws IOException {
    return names(runs.resolve(id).resolve("PENDING"));
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** The newest line of the run's log. */
  private Map<?, ?> newest() throws Exception {
    List<String> lines = Files.readAllLines(runs.resolve(id).resolve("RUN_LOG.jsonl"));
    return (Map<?, ?>) Objects.requireNonNull(Json.parse(lines.getLast()));
  }

  private void assertWhole() throws IOException {
    assertThat(RunVerifier.verifyAll(runs)).isEmpty();
  }

  @Test
  void an_approval_shows_before_anybody_goes_on_with_the_run() throws Exception {
    good("approve", approval, "--as", "kim", "--role", "approver");

    assertThat(state()).isEqualTo("EXECUTING");
    assertThat(fields().get("approvals_granted")).isEqualTo(List.of(approval));
    assertThat(fields().get("current_tool")).isEqualTo("merge");
    assertThat(newest().get("event")).isEqualTo("approved");
    assertThat(pending()).isEmpty();
    assertThat(folder.resolve("work/c.txt")).doesNotExist();
    assertWhole();

    good("run", "resume", id);
    assertThat(state()).isEqualTo("COMPLETE");
    assertWhole();
  }

  @Test
  void a_rejection_shows_before_anything_is_undone() throws Exception {
    good("reject", approval, "--as", "kim", "--role", "approver", "--reason", "not today");

    assertThat(state()).isEqualTo("AWAITING_APPROVAL");
    assertThat(newest().get("event")).isEqualTo("rejected");
    assertThat(pending()).isEmpty();
    assertThat(folder.resolve("work/b.txt")).exists();
    assertWhole();
  }

  @Test
  void what_is_paused_resumed_and_halted_shows() throws Exception {
    good("approve", approval, "--as", "kim", "--role", "approver");
    good("pause", id);
    assertThat(newest().get("kind")).isEqualTo("pause");
    assertWhole();
    good("resume", id);
    assertThat(newest().get("kind")).isEqualTo("resume");
    good("run", "halt", id, "--reason", "smoke");
    assertThat(state()).isEqualTo("HALTED_UNSAFE");
    assertWhole();
  }

  @Test
  void a_run_is_not_cancelled_past_its_own_commands() throws Exception {
    Result refused = run("cancel", id);

    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.out()).contains("reserved-machine");
    assertThat(state()).isEqualTo("AWAITING_APPROVAL");
    assertWhole();
  }

  @Test
  void time_that_runs_out_while_a_command_looks_shows() throws Exception {
    InstantSource behind = InstantSource.offset(InstantSource.system(), Duration.ofMinutes(-2));
    try (Signalbox box = ShippedSystems.open(url, behind, Keyring.of(url))) {
      Plan plan = PlanReader.read(new Source("plan.yaml", PLAN), folder);
      id = Runs.on(box).start(plan, Actor.SYSTEM);
    }

    good("machines");

    assertThat(state()).isEqualTo("HALTED_UNSAFE");
    assertThat(newest().get("from")).isEqualTo("INIT");
    assertWhole();
  }

  @Test
  void only_the_files_of_what_was_changed_are_looked_at() throws Exception {
    String other = good("run", "start", folder.resolve("plan.yaml").toString(), "--as", "ann");
    Path lost = runs.resolve(id).resolve("RUN_STATE.json");
    Files.delete(lost);

    good("approve", first("signalbox approve (\\S+)", other), "--as", "kim", "--role", "approver");
    assertThat(lost).doesNotExist();
    id = first("(RUN-DEMO-\\d{8}-\\d{6})", other);
    assertThat(state()).isEqualTo("EXECUTING");

    good("run", "resume", id);
    assertThat(lost).exists();
    assertWhole();
  }

  @Test
  void files_in_another_folder_are_kept_there() throws Exception {
    Path elsewhere = folder.resolve("elsewhere");
    Files.move(runs, elsewhere);

    good("approve", approval, "--as", "kim", "--role", "approver", "--runs", elsewhere.toString());

    assertThat(runs).doesNotExist();
    runs = elsewhere;
    assertThat(state()).isEqualTo("EXECUTING");
    assertWhole();
  }

  @Test
  void a_command_that_can_not_write_the_files_has_happened_all_the_same() throws Exception {
    Path state = runs.resolve(id).resolve("RUN_STATE.json");
    Files.delete(state);
    Files.createDirectories(state.resolve("in the way"));

    good("approve", approval, "--as", "kim", "--role", "approver");

    assertThat(good("run", "list")).contains("EXECUTING");
  }
}
