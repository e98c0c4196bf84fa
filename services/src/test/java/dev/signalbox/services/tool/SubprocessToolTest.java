package dev.signalbox.services.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SubprocessToolTest {
  private static final String SECRET = "s3cr3t/va\"lue+\\x";

  @TempDir Path temp;
  private Path folder;
  private EvidenceStore evidence;

  @BeforeEach
  void open() throws IOException {
    folder = Files.createDirectory(temp.resolve("work"));
    evidence = EvidenceStore.open(temp.resolve("evidence"));
  }

  @Test
  void exit_0_is_a_pass_with_what_it_said_as_evidence() throws Exception {
    ToolResult result = sh("echo out; echo err >&2");
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(result.evidence())
        .extracting(Evidence::name)
        .containsExactly("stdout", "stderr", "exit_code");
    assertThat(text(result, "stdout")).isEqualTo("out\n");
    assertThat(text(result, "stderr")).isEqualTo("err\n");
    assertThat(text(result, "exit_code")).isEqualTo("0\n");
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void another_exit_is_a_fail_with_evidence_too() throws Exception {
    ToolResult result = sh("echo why >&2; exit 3");
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(text(result, "stderr")).isEqualTo("why\n");
  }

  @Test
  void a_program_that_is_not_there_is_a_fail() throws Exception {
    ToolResult result = run(Program.of("no-such-program-anywhere"), Map.of());
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("could not be started");
  }

  @Test
  void an_argument_is_one_element_and_never_a_command() throws Exception {
    Program echo = Program.of("printf", "%s|", "--", "{text}", "{more}", "a{text}b");
    ToolResult result =
        run(echo, Map.of("text", "two words; touch x", "more", List.of("1", "$(id)")));
    assertThat(text(result, "stdout"))
        .isEqualTo("--|two words; touch x|1|$(id)|atwo words; touch xb|");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void an_argument_is_not_taken_for_an_option() throws Exception {
    ToolResult refused = run(Program.of("rm", "{file}"), Map.of("file", "-rf"));
    assertThat(refused.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(refused.message()).contains("begins with a dash");
    assertThat(run(Program.of("rm", "{file}"), Map.of()).message()).contains("'file'", "missing");
  }

  @Test
  void all_arguments_come_on_standard_input() throws Exception {
    ToolResult result = run(Program.of("cat"), Map.of("b", 2, "a", List.of(true)));
    assertThat(text(result, "stdout")).isEqualTo("{\"a\":[true],\"b\":2}");
  }

  @Test
  void a_program_that_does_not_listen_is_none_the_worse() throws Exception {
    ToolResult result = run(Program.of("true"), Map.of("long", "x".repeat(500_000)));
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
  }

  @Test
  void the_environment_of_the_parent_does_not_leak() throws Exception {
    Map<String, String> around =
        Map.of("PATH", System.getenv("PATH"), "LANG", "C", "AWS_SECRET", "leak", "HOME", "/leak");
    SubprocessTool tool =
        new SubprocessTool(
            Program.of("env").handingOn(List.of("PATH", "NOT_THERE")).with("MINE", "yes"),
            around,
            SecretSource.NONE,
            confinement());
    List<String> lines = text(tool.run(call(Map.of()), evidence), "stdout").lines().toList();
    assertThat(lines)
        .contains("MINE=yes", "SIGNALBOX_KEY=k-1")
        .allMatch(line -> line.matches("(PATH|MINE|SIGNALBOX_(KEY|RESULT|CALL_[0-9a-f]{32}))=.*"));
  }

  @Test
  void nothing_of_the_real_environment_leaks_either() throws Exception {
    String said = text(run(Program.of("env"), Map.of()), "stdout");
    System.getenv().keySet().stream()
        .filter(name -> !Program.PLAIN_ENVIRONMENT.contains(name))
        .forEach(name -> assertThat(said.lines()).noneMatch(line -> line.startsWith(name + "=")));
  }

  @Test
  void a_secret_is_in_no_result_and_no_evidence() throws Exception {
    Program program =
        Program.of(
                "sh",
                "-c",
                "echo \"token $TOKEN\"; echo \"$TOKEN\" >&2; printf %s \"$TOKEN\" | base64;"
                    + " printf '{\"status\":\"pass\",\"message\":\"used %s\",\"checked\":[\"%s\"]}'"
                    + " \"$ESCAPED\" \"$ESCAPED\" > \"$SIGNALBOX_RESULT\"")
            .withSecret("TOKEN", "deploy")
            .with("ESCAPED", SECRET.replace("\\", "\\\\").replace("\"", "\\\""));
    SubprocessTool tool = new SubprocessTool(program, System.getenv(), _ -> SECRET, confinement());
    ToolResult result = tool.run(call(Map.of()), evidence);
    assertThat(text(result, "stdout")).startsWith("token [secret deploy]\n[secret deploy]");
    assertThat(text(result, "stderr")).isEqualTo("[secret deploy]\n");
    assertThat(result.message()).isEqualTo("used [secret deploy]");
    assertThat(result.checked()).containsExactly(Claim.of("[secret deploy]"));
    String base64 = Base64.getEncoder().encodeToString(SECRET.getBytes(StandardCharsets.UTF_8));
    try (var files = Files.walk(evidence.folder())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file)).doesNotContain(SECRET, base64);
      }
    }
    assertThat(tool.identity(call(Map.of())).toString()).doesNotContain(SECRET);
  }

  @Test
  void a_secret_that_is_not_there_or_too_short_starts_nothing() throws Exception {
    Program program = Program.of("touch", "started").withSecret("TOKEN", "deploy");
    assertThat(
            new SubprocessTool(program, Map.of(), SecretSource.NONE, confinement())
                .run(call(Map.of()), evidence)
                .status())
        .isEqualTo(ToolStatus.FAIL);
    ToolResult tooShort =
        new SubprocessTool(program, Map.of(), _ -> "short", confinement())
            .run(call(Map.of()), evidence);
    assertThat(tooShort.message()).contains("at least 8").doesNotContain("short ");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void what_says_more_than_it_may_is_ended() throws Exception {
    ToolCall call = call(Map.of()).within(new ToolLimits(Duration.ofMinutes(5), 1000));
    ToolResult result = tool(Program.of("sh", "-c", "yes & yes >&2 & wait")).run(call, evidence);
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("at most 1,000 bytes");
    assertThat(result.evidence()).extracting(Evidence::bytes).contains(1000L);
  }

  @Test
  void a_whole_tree_is_ended_on_interrupt() throws Exception {
    Tree tree = Tree.in(folder);
    CompletableFuture<ToolResult> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofPlatform()
            .start(() -> {
              try {
                result.complete(impatient("sh", "tree.sh").run(call(Map.of()), evidence));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    tree.awaitReady();
    assertThat(tree.pids()).hasSize(5).allMatch(Tree::lives);
    thread.interrupt();
    assertThatThrownBy(result::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(tree.pids()).hasSize(5).noneMatch(Tree::lives);
  }

  @Test
  void a_whole_tree_is_ended_when_its_time_is_over() throws Exception {
    Tree tree = Tree.in(folder);
    Files.delete(folder.resolve("ready"));
    ToolCall call = call(Map.of()).within(new ToolLimits(Duration.ofSeconds(3), 1000));
    ToolResult result = impatient("sh", "tree.sh").run(call, evidence);
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("within PT3S");
    assertThat(tree.pids()).isNotEmpty().noneMatch(Tree::lives);
  }

  @Test
  void what_a_program_leaves_behind_is_ended_with_it() throws Exception {
    ToolResult result =
        sh("(setsid sh -c 'echo $$ > pid; exec sleep 1000' &); until [ -s pid ]; do :; done");
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(Tree.lives(Long.parseLong(Files.readString(folder.resolve("pid")).strip())))
        .isFalse();
  }

  @Test
  void what_a_dead_attempt_left_running_is_ended_by_the_next_one_of_its_key() throws Exception {
    ToolCall call = call(Map.of());
    ToolCall other = new ToolCall("k-2", "t", Map.of(), folder, ToolLimits.STANDARD);
    Process left = marked(call);
    Process others = marked(other);
    try {
      SubprocessTool tool = impatient("true");
      assertThat(tool.run(call, evidence).status()).isEqualTo(ToolStatus.PASS);
      assertThat(Tree.lives(left.pid())).isFalse();
      assertThat(Tree.lives(others.pid())).isTrue();
      tool.clear(other);
      assertThat(Tree.lives(others.pid())).isFalse();
    } finally {
      left.destroyForcibly();
      others.destroyForcibly();
    }
  }

  /** A process as another process of ours that is dead by now would have started it. */
  private static Process marked(ToolCall call) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("sleep", "1000");
    builder.environment().put(ProcessTree.mark(call), "1");
    return builder.start();
  }

  @Test
  void a_document_says_what_was_checked_and_brings_evidence() throws Exception {
    ToolResult result =
        sh(
            """
            echo report > r.txt; cat > "$SIGNALBOX_RESULT" <<'X'
            {"status":"pass","evidence":[{"name":"report","file":"r.txt"}],
             "checked":[{"claim":"all is well","evidence":["report"]}],
             "assumed":["a"],"not_tested":["b"],"next_actions":["c"],
             "risks":[{"level":"high","text":"r"}],
             "usage":{"model_calls":1,"tokens":20,"files":3},"message":"m"}
            X
            """);
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(text(result, "report")).isEqualTo("report\n");
    assertThat(result.checked()).containsExactly(Claim.of("all is well", "report"));
    assertThat(result.assumed()).containsExactly("a");
    assertThat(result.notTested()).containsExactly("b");
    assertThat(result.nextActions()).containsExactly("c");
    assertThat(result.risk()).isEqualTo(dev.signalbox.services.approval.Risk.HIGH);
    assertThat(result.usage()).isEqualTo(new ToolUsage(1, 20, 3));
    assertThat(ToolResult.of(result.fields())).isEqualTo(result);
  }

  @Test
  void a_document_never_makes_it_better_than_the_exit_code() throws Exception {
    ToolResult result = sh("echo '{\"status\":\"pass\"}' > \"$SIGNALBOX_RESULT\"; exit 1");
    assertThat(result.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(result.message()).contains("says that it passed", "exited with 1");
    assertThat(sh("echo '{\"status\":\"fail\"}' > \"$SIGNALBOX_RESULT\"").status())
        .isEqualTo(ToolStatus.FAIL);
    assertThat(sh("echo '{\"status\":\"needs_approval\"}' > \"$SIGNALBOX_RESULT\"").status())
        .isEqualTo(ToolStatus.NEEDS_APPROVAL);
    assertThat(sh("echo '{\"status\":\"halted\"}' > \"$SIGNALBOX_RESULT\"; exit 9").status())
        .isEqualTo(ToolStatus.HALTED);
  }

  @Test
  void a_document_that_is_none_is_a_fail() throws Exception {
    for (String document :
        List.of(
            "{",
            "[]",
            "{}",
            "{\"status\":\"great\"}",
            "{\"status\":\"pass\",\"exit_code\":0}",
            "{\"status\":\"pass\",\"pass\":true}",
            "{\"status\":\"pass\",\"usage\":{\"tokens\":-1}}",
            "{\"status\":\"pass\",\"evidence\":[{\"name\":\"stdout\",\"file\":\"f\"}]}",
            "{\"status\":\"pass\",\"evidence\":[{\"name\":\"x\",\"file\":\"none\"}]}",
            "{\"status\":\"pass\",\"evidence\":[{\"name\":\"x\",\"file\":\"/etc/passwd\"}]}",
            "{\"status\":\"pass\",\"evidence\":[{\"name\":\"x\",\"file\":\"link\"}]}",
            "{\"status\":\"pass\",\"evidence\":[{\"name\":\"x\",\"file\":\"../work/../outside\"}]}")) {
      Files.writeString(temp.resolve("outside"), "outside");
      Files.writeString(folder.resolve("f"), "f");
      Files.deleteIfExists(folder.resolve("link"));
      Files.createSymbolicLink(folder.resolve("link"), temp.resolve("outside"));
      Files.writeString(folder.resolve("document"), document);
      assertThat(sh("cp document \"$SIGNALBOX_RESULT\"").status())
          .as(document)
          .isEqualTo(ToolStatus.FAIL);
    }
  }

  @Test
  void one_byte_of_a_program_in_the_folder_makes_it_another_tool() throws Exception {
    Files.writeString(folder.resolve("do.sh"), "exit 0");
    SubprocessTool tool = tool(Program.of("sh", "do.sh", "{x}"));
    ToolCall call = call(Map.of("x", "1"));
    Map<String, Object> before = tool.identity(call);
    assertThat(tool.identity(call)).isEqualTo(before);
    Files.writeString(folder.resolve("do.sh"), "exit 1");
    assertThat(tool.identity(call)).isNotEqualTo(before);
    assertThatThrownBy(() -> tool.identity(call(Map.of())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_program_has_its_limits() {
    assertThatThrownBy(() -> Program.of(List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Program.of("{program}")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Program.of("x").with("SIGNALBOX_RESULT", "y"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Program.of("x").with("A=B", "y"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private ToolCall call(Map<String, Object> arguments) {
    return ToolCall.of("k-1", "t", arguments, folder);
  }

  private ToolResult sh(String script) throws InterruptedException {
    return run(Program.of("sh", "-c", script), Map.of());
  }

  private ToolResult run(Program program, Map<String, Object> arguments)
      throws InterruptedException {
    return tool(program).run(call(arguments), evidence);
  }

  private static SubprocessTool tool(Program program) {
    return SubprocessTool.of(program, confinement());
  }

  /** What is told here needs no sandbox, and looks at processes by their numbers. */
  private static Confinement confinement() {
    return Confinement.none();
  }

  /** Kills soon after asking. */
  private static SubprocessTool impatient(String... command) {
    return tool(Program.of(Arrays.asList(command)).endingWithin(Duration.ofMillis(100)));
  }

  private String text(ToolResult result, String name) {
    Evidence piece =
        Objects.requireNonNull(result.evidence(name), () -> result + " has no " + name);
    return new String(evidence.bytes(piece.sha256()), StandardCharsets.UTF_8);
  }
}
