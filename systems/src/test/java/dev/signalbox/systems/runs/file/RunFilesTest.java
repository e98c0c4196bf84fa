package dev.signalbox.systems.runs.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.systems.Values;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of runs, on a machine that has the states and the fields of a run and does nothing. */
class RunFilesTest {
  private static final Machine RUN =
      MachineReader.read(
          new Source(
              "run.yaml",
              """
              machine: runs.run
              context:
                project_id: { type: string, default: "" }
                tools_planned: { type: list, items: string, default: [] }
                tools_completed: { type: list, items: string, default: [] }
                tools_remaining: { type: list, items: string, default: [] }
                current_tool: { type: string, default: "" }
                approvals_pending: { type: list, items: string, default: [] }
                approvals_granted: { type: list, items: string, default: [] }
              states:
                INIT: { waits: x, on: { plan: PLANNING } }
                PLANNING:
                  waits: x
                  on:
                    plan_ready: { to: EXECUTING, assign: { tools_planned: event.tools, tools_remaining: event.tools } }
                EXECUTING:
                  initial: working
                  on:
                    ask: { to: AWAITING_APPROVAL, assign: { approvals_pending: "[event.approval]" } }
                    all: VERIFYING
                    halt: HALTED_UNSAFE
                  states:
                    working:
                      waits: x
                      on:
                        started: { assign: { current_tool: event.tool } }
                        passed:
                          assign:
                            tools_completed: ctx.tools_completed + [ctx.current_tool]
                            tools_remaining: "ctx.tools_remaining.filter(t, t != ctx.current_tool)"
                            current_tool: "''"
                AWAITING_APPROVAL:
                  waits: x
                  on:
                    approved:
                      to: EXECUTING
                      assign: { approvals_granted: ctx.approvals_granted + ctx.approvals_pending, approvals_pending: [] }
                    rejected: { to: ROLLED_BACK, assign: { approvals_pending: [] } }
                VERIFYING: { waits: x, on: { good: AUDITING, bad: ROLLED_BACK } }
                AUDITING: { waits: x, on: { good: COMPLETE, bad: ROLLED_BACK } }
                COMPLETE: { final: true }
                ROLLED_BACK: { final: true }
                HALTED_UNSAFE: { final: true }
              """));

  @TempDir Path temp;
  private final AtomicLong now =
      new AtomicLong(Instant.parse("2026-01-31T12:00:00Z").toEpochMilli());
  private Path runs;
  private Signalbox box;

  @BeforeEach
  void open() {
    runs = temp.resolve("runs");
    box =
        Signalbox.open(
            "jdbc:sqlite:" + temp.resolve("box.db"),
            Settings.DEFAULT,
            () -> Instant.ofEpochMilli(now.get()));
    box.publish(RUN);
  }

  @AfterEach
  void close() {
    box.close();
  }

  @Test
  void the_state_has_exactly_the_seeds_fields_after_every_entry() throws IOException {
    RunFiles files = new RunFiles(box, runs);
    Schema schema = schema();
    List<String> states = new ArrayList<>();
    for (Runnable step : story("RUN-A-1")) {
      step.run();
      files.catchUpWholly();
      String text = Files.readString(runs.resolve("RUN-A-1/RUN_STATE.json"));
      assertThat(schema.validate(text, InputFormat.JSON)).isEmpty();
      Map<?, ?> state = parsed(text);
      assertThat(state.keySet().stream().map(String::valueOf))
          .containsExactlyElementsOf(StateReader.FIELDS);
      states.add(String.valueOf(state.get("current_state")));
      assertThat(RunVerifier.verify(runs.resolve("RUN-A-1"))).isEmpty();
    }
    assertThat(states.stream().distinct())
        .containsExactly(
            "INIT",
            "PLANNING",
            "EXECUTING",
            "AWAITING_APPROVAL",
            "VERIFYING",
            "AUDITING",
            "COMPLETE");
    Map<?, ?> end = parsed(Files.readString(runs.resolve("RUN-A-1/RUN_STATE.json")));
    assertThat(end.get("tools_completed")).isEqualTo(List.of("lint", "merge"));
    assertThat(end.get("approvals_granted")).isEqualTo(List.of("a-1"));
    assertThat(end.get("previous_state")).isEqualTo("AUDITING");
    assertThat(end.get("created_at")).isEqualTo("2026-01-31T12:00:00Z");
    assertThat(Values.list(end.get("state_history")).getFirst())
        .isEqualTo(
            parsed(
                "{\"state\":\"INIT\",\"entered_at\":\"2026-01-31T12:00:00Z\",\"exited_at\":\"2026-01-31T12:00:01Z\"}"));
  }

  @Test
  void the_schema_refuses_other_fields() throws IOException {
    all("RUN-A-1");
    write();
    String text = Files.readString(runs.resolve("RUN-A-1/RUN_STATE.json"));
    assertThat(schema().validate(text.replaceFirst("\\{", "{\"more\": 1,"), InputFormat.JSON))
        .isNotEmpty();
    assertThat(schema().validate(text.replace("project_id", "project"), InputFormat.JSON))
        .isNotEmpty();
    assertThat(schema().validate(text.replace("\"COMPLETE\"", "\"DONE\""), InputFormat.JSON))
        .isNotEmpty();
  }

  @Test
  void pending_holds_the_approvals_that_wait_and_no_others() throws IOException {
    List<Runnable> story = story("RUN-A-1");
    story.subList(0, 6).forEach(Runnable::run);
    write();
    Path pending = runs.resolve("RUN-A-1/PENDING");
    assertThat(parsed(Files.readString(pending.resolve("a-1.json"))).get("approval_id"))
        .isEqualTo("a-1");
    Files.delete(pending.resolve("a-1.json"));
    assertThat(codes(RunVerifier.verify(runs.resolve("RUN-A-1")))).contains("pending-missing");
    write();
    assertThat(pending.resolve("a-1.json")).exists();
    story.subList(6, story.size()).forEach(Runnable::run);
    write();
    assertThat(pending).isEmptyDirectory();
    Files.writeString(pending.resolve("old.json"), "{}");
    assertThat(codes(RunVerifier.verify(runs.resolve("RUN-A-1")))).contains("pending-left");
  }

  @Test
  void what_is_lost_torn_behind_or_altered_comes_back_the_same() throws IOException {
    all("RUN-A-1");
    story("RUN-C-1").subList(0, 6).forEach(Runnable::run);
    write();
    Map<String, String> right = contents();
    List<Path> all = new ArrayList<>();
    try (Stream<Path> walk = Files.walk(runs)) {
      walk.filter(Files::isRegularFile).filter(file -> !file.endsWith(Pen.FILE)).forEach(all::add);
    }
    for (Path file : all) {
      byte[] bytes = Files.readAllBytes(file);
      // Lost.
      Files.delete(file);
      assertRepaired(right, file + " lost");
      // Torn, at several places, also at the end of a line.
      for (int cut : List.of(0, 1, bytes.length / 2, bytes.length - 1)) {
        Files.write(file, Arrays.copyOf(bytes, cut));
        assertRepaired(right, file + " cut at " + cut);
      }
      // With something behind its end.
      Files.write(
          file,
          (new String(bytes, StandardCharsets.UTF_8) + "{\"half\":")
              .getBytes(StandardCharsets.UTF_8));
      assertRepaired(right, file + " with half a line");
    }
    // Behind: the ledger ends earlier than the files.
    Path ledger = runs.resolve("RUN_LEDGER.jsonl");
    List<String> lines = Files.readAllLines(ledger);
    for (int keep = 0; keep < lines.size(); keep++) {
      Files.writeString(
          ledger, lines.stream().limit(keep).map(line -> line + "\n").reduce("", String::concat));
      assertRepaired(right, "ledger of " + keep + " lines");
    }
    // A temporary file of a process that died.
    Files.writeString(runs.resolve("RUN-A-1/.part-1-1"), "{");
    assertRepaired(right, "a part");
    // Everything.
    try (Stream<Path> walk = Files.walk(runs)) {
      for (Path path : walk.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
    assertRepaired(right, "everything lost");
  }

  @Test
  void an_altered_ledger_is_kept_aside_and_written_anew() throws IOException {
    all("RUN-A-1");
    write();
    Path ledger = runs.resolve("RUN_LEDGER.jsonl");
    String right = Files.readString(ledger);
    Files.writeString(ledger, right.replaceFirst("PLANNING", "EXECUTING"));
    write();
    assertThat(ledger).hasContent(right);
    try (Stream<Path> files = Files.list(runs)) {
      assertThat(files.map(file -> String.valueOf(file.getFileName())))
          .anyMatch(name -> name.startsWith("RUN_LEDGER.altered-"));
    }
  }

  @Test
  void of_several_that_follow_one_writes_and_the_next_goes_on_where_it_ended() throws IOException {
    List<Runnable> story = story("RUN-A-1");
    story.subList(0, 4).forEach(Runnable::run);
    try (RunFiles second = new RunFiles(box, runs)) {
      try (RunFiles first = new RunFiles(box, runs)) {
        first.catchUpWholly();
        story.subList(4, 8).forEach(Runnable::run);
        assertThat(second.catchUp()).isFalse();
        assertThat(second.isWriting()).isFalse();
        assertThatThrownBy(second::catchUpWholly).hasMessageContaining("somebody else does");
        first.catchUpWholly();
      }
      story.subList(8, story.size()).forEach(Runnable::run);
      second.catchUpWholly();
      assertThat(second.isWriting()).isTrue();
      assertThat(RunVerifier.verifyAll(runs)).isEmpty();
    }
  }

  @Test
  void who_finds_the_lock_deleted_takes_it_up_again_and_reads_what_is_there() throws IOException {
    List<Runnable> story = story("RUN-A-1");
    story.subList(0, 4).forEach(Runnable::run);
    try (RunFiles first = new RunFiles(box, runs)) {
      first.catchUpWholly();
      Files.delete(runs.resolve(Pen.FILE));
      story.subList(4, story.size()).forEach(Runnable::run);
      first.catchUpWholly();
      assertThat(RunVerifier.verifyAll(runs)).isEmpty();
    }
  }

  @Test
  void the_files_follow_the_store_by_themselves() throws Exception {
    try (RunFiles files = RunFiles.follow(box, runs)) {
      all("RUN-A-1");
      files.catchUpWholly();
      assertThat(RunVerifier.verifyAll(runs)).isEmpty();
    }
  }

  @Test
  void who_has_followed_leaves_nothing_unwritten() throws IOException {
    try (RunFiles _ = RunFiles.follow(box, runs)) {
      all("RUN-A-1");
    }
    assertThat(
            parsed(Files.readString(runs.resolve("RUN-A-1/RUN_STATE.json"))).get("current_state"))
        .isEqualTo("COMPLETE");
    assertThat(RunVerifier.verifyAll(runs)).isEmpty();
  }

  @Test
  void an_id_that_leads_elsewhere_has_no_files() throws IOException {
    story("../RUN-A-1").subList(0, 2).forEach(Runnable::run);
    write();
    assertThat(contents()).containsOnlyKeys(Pen.FILE);
    assertThat(temp.resolve("RUN-A-1")).doesNotExist();
  }

  @Test
  void every_byte_of_the_ledger_counts() throws IOException {
    story("RUN-A-1").subList(0, 3).forEach(Runnable::run);
    write();
    Path ledger = runs.resolve("RUN_LEDGER.jsonl");
    Path run = runs.resolve("RUN-A-1");
    byte[] right = Files.readAllBytes(ledger);
    for (int i = 0; i < right.length; i++) {
      byte[] wrong = right.clone();
      wrong[i] ^= 1;
      Files.write(ledger, wrong);
      List<Fault> faults = RunVerifier.verify(run);
      assertThat(faults)
          .as("byte %d of %s", i, new String(right, StandardCharsets.UTF_8))
          .isNotEmpty();
      assertThat(faults).anyMatch(fault -> fault.file().equals("RUN_LEDGER.jsonl"));
    }
    for (int cut = 0; cut < right.length; cut += 7) {
      Files.write(ledger, Arrays.copyOf(right, cut));
      assertThat(RunVerifier.verify(run)).as("cut at %d", cut).isNotEmpty();
    }
  }

  @Test
  void lines_that_are_removed_moved_doubled_or_torn_are_named() throws IOException {
    all("RUN-A-1");
    write();
    for (String name : List.of("RUN_LEDGER.jsonl", "RUN-A-1/RUN_LOG.jsonl")) {
      Path file = runs.resolve(name);
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        List<String> without = new ArrayList<>(lines);
        without.remove(i);
        boolean last = i == lines.size() - 1;
        assertNamed(
            file,
            without,
            last ? (name.startsWith("RUN_L") ? "ledger-missing" : "log-differs") : "chain-broken");
        List<String> twice = new ArrayList<>(lines);
        twice.add(i, lines.get(i));
        assertNamed(file, twice, "chain-broken");
        if (i > 0) {
          List<String> moved = new ArrayList<>(lines);
          moved.set(i, lines.get(i - 1));
          moved.set(i - 1, lines.get(i));
          assertNamed(file, moved, "chain-broken");
        }
      }
      Files.writeString(file, String.join("\n", lines));
      assertThat(codes(RunVerifier.verify(runs.resolve("RUN-A-1")))).contains("torn-tail");
      Files.writeString(file, String.join("\n", lines) + "\n");
    }
    assertThat(RunVerifier.verifyAll(runs)).isEmpty();
  }

  @Test
  void a_state_that_contradicts_itself_or_the_log_is_named() throws IOException {
    all("RUN-A-1");
    write();
    Path state = runs.resolve("RUN-A-1/RUN_STATE.json");
    String right = Files.readString(state);
    Map<String, String> wrong = new TreeMap<>();
    wrong.put("\"current_state\" : \"COMPLETE\"", "\"current_state\" : \"AUDITING\"");
    wrong.put("\"previous_state\" : \"AUDITING\"", "\"previous_state\" : \"PLANNING\"");
    wrong.put("\"state\" : \"VERIFYING\"", "\"state\" : \"PLANNING\"");
    wrong.put("RUN-A-1", "RUN-A-2");
    wrong.put("\"exited_at\" : null", "\"exited_at\" : \"2026-01-31T12:00:00Z\"");
    wrong.put("\"updated_at\" : \"2026", "\"updated_at\" : \"2027");
    wrong.put("\"created_at\" : \"2026", "\"created_at\" : \"2027");
    wrong.put("\"lint\"", "\"other\"");
    wrong.put("{", "");
    wrong.put("\"project_id\"", "\"project\"");
    wrong.forEach((from, to) -> {
      try {
        assertThat(right).contains(from);
        Files.writeString(state, right.replaceFirst(java.util.regex.Pattern.quote(from), to));
        assertThat(RunVerifier.verify(runs.resolve("RUN-A-1"))).as(from + " → " + to).isNotEmpty();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    });
    Files.writeString(state, right);
    assertThat(RunVerifier.verify(runs.resolve("RUN-A-1"))).isEmpty();
  }

  @Test
  void missing_and_altered_evidence_is_named() throws IOException {
    all("RUN-A-1");
    write();
    EvidenceStore store = EvidenceStore.open(runs.resolve("RUN-A-1/evidence"));
    Path file = store.file(Sha256.hex("lint is happy"));
    Files.writeString(file, "lint is angry");
    assertThat(codes(RunVerifier.verify(runs.resolve("RUN-A-1")))).containsOnly("evidence-altered");
    Files.delete(file);
    assertThat(codes(RunVerifier.verify(runs.resolve("RUN-A-1")))).containsOnly("evidence-missing");
    assertThat(codes(RunVerifier.verify(runs.resolve("RUN-X-1")))).contains("file-missing");
  }

  @Test
  void a_reader_never_sees_a_part_of_the_state() throws Exception {
    RunFiles files = new RunFiles(box, runs);
    List<Runnable> story = story("RUN-A-1");
    story.get(0).run();
    files.catchUpWholly();
    try (ReaderProcess reader = ReaderProcess.of(runs)) {
      story.subList(1, 4).forEach(Runnable::run);
      for (int i = 0; i < Integer.getInteger("run.files.writes", 150); i++) {
        now.addAndGet(1);
        send("RUN-A-1", "started", Map.of("tool", "lint"));
        files.catchUpWholly();
      }
      assertThat(reader.states()).isGreaterThan(1);
    }
  }

  /** Writes everything as a process would that was just started. */
  private void write() {
    try (RunFiles files = new RunFiles(box, runs)) {
      files.catchUpWholly();
    }
  }

  private void assertRepaired(Map<String, String> right, String what) throws IOException {
    write();
    Map<String, String> found = contents();
    found.keySet().removeIf(name -> name.contains("altered"));
    assertThat(found).as(what).isEqualTo(right);
  }

  private void assertNamed(Path file, List<String> lines, String code) throws IOException {
    String right = Files.readString(file);
    Files.writeString(file, String.join("\n", lines) + (lines.isEmpty() ? "" : "\n"));
    List<Fault> faults = RunVerifier.verify(runs.resolve("RUN-A-1"));
    assertThat(codes(faults)).as(faults.toString()).contains(code);
    Files.writeString(file, right);
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> all = new TreeMap<>();
    try (Stream<Path> files = Files.walk(runs)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.toString().contains("evidence")) {
          all.put(runs.relativize(file).toString(), Files.readString(file));
        }
      }
    }
    return all;
  }

  private static List<String> codes(List<Fault> faults) {
    return faults.stream().map(Fault::code).toList();
  }

  private void all(String run) {
    story(run).forEach(Runnable::run);
  }

  /** The steps of a run that completes, each a second after the one before. */
  private List<Runnable> story(String run) {
    List<Runnable> steps = new ArrayList<>();
    steps.add(() -> {
      Reply reply =
          box.submit(
              new Command.Start(
                  "runs.run",
                  run,
                  Map.of("project_id", "A"),
                  dev.signalbox.kernel.Actor.SYSTEM,
                  null));
      assertThat(reply).isInstanceOf(Reply.Accepted.class);
    });
    steps.add(() -> send(run, "plan", Map.of()));
    steps.add(() -> send(run, "plan_ready", Map.of("tools", List.of("lint", "merge"))));
    steps.add(() -> send(run, "started", Map.of("tool", "lint")));
    steps.add(() ->
        send(
            run,
            "passed",
            Map.of(
                "evidence",
                List.of(
                    EvidenceStore.open(runs.resolve(run).resolve("evidence"))
                        .put("stdout", "lint is happy")
                        .fields()))));
    steps.add(() -> send(run, "ask", Map.of("approval", "a-1")));
    steps.add(() -> send(run, "approved", Map.of()));
    steps.add(() -> send(run, "started", Map.of("tool", "merge")));
    steps.add(() -> send(run, "passed", Map.of()));
    steps.add(() -> send(run, "all", Map.of()));
    steps.add(() -> send(run, "good", Map.of()));
    steps.add(() -> send(run, "good", Map.of()));
    return steps.stream()
        .<Runnable>map(step ->
            () -> {
              step.run();
              now.addAndGet(1000);
            })
        .toList();
  }

  private void send(String run, String event, Map<String, Object> data) {
    assertThat(box.send(run, event, data)).isInstanceOf(Reply.Accepted.class);
  }

  private static Map<?, ?> parsed(String text) {
    try {
      return (Map<?, ?>) Objects.requireNonNull(Json.parse(text));
    } catch (Json.SyntaxException e) {
      throw new AssertionError(text, e);
    }
  }

  private static Schema schema() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RunFiles.class.getResourceAsStream(
                "/dev/signalbox/systems/runs/file/run-state.schema.json"))) {
      return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(new String(in.readAllBytes(), StandardCharsets.UTF_8), InputFormat.JSON);
    }
  }
}
