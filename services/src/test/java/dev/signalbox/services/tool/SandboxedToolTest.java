package dev.signalbox.services.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.sandbox.Bubblewrap;
import dev.signalbox.services.sandbox.Reach;
import dev.signalbox.services.sandbox.Sandbox;
import dev.signalbox.services.sandbox.Unconfined;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a tool reaches in the real sandbox of this machine. */
class SandboxedToolTest {
  private static final String SECRET = "the-secret-of-this-store";

  @TempDir Path folder;

  private Path data;
  private Path work;
  private EvidenceStore evidence;

  @BeforeEach
  void make() throws IOException {
    folder = folder.toRealPath();
    data = folder.resolve("data");
    work = Files.createDirectories(folder.resolve("work"));
    Files.createDirectories(data.resolve("signalbox-keys"));
    Files.createDirectories(data.resolve("runs/RUN-OTHER-1/evidence"));
    for (String each :
        List.of(
            "signalbox.db",
            "signalbox.db.lock",
            "signalbox-keys/signing.key",
            "token",
            "agent-token",
            "runs/RUN-OTHER-1/evidence/ab")) {
      Files.writeString(data.resolve(each), SECRET);
    }
    evidence = EvidenceStore.open(folder.resolve("evidence"));
  }

  private ToolResult run(UnaryOperator<Reach> reach, String... command)
      throws InterruptedException {
    return SubprocessTool.of(Program.of(command), Confinement.of(reach))
        .run(ToolCall.of("k-1", "t", Map.of(), work), evidence);
  }

  private ToolResult read(String... command) throws InterruptedException {
    return run(reach -> reach.hiding(List.of(data)), command);
  }

  private String said(ToolResult result) {
    StringBuilder all = new StringBuilder(result.message());
    for (String name : List.of("stdout", "stderr")) {
      Evidence piece =
          Objects.requireNonNull(result.evidence(name), () -> result + " has no " + name);
      all.append(new String(evidence.bytes(piece.sha256()), StandardCharsets.UTF_8));
    }
    return all.toString();
  }

  @Test
  void this_machine_has_a_sandbox() {
    assertThat(Sandbox.here().why()).isEmpty();
    assertThat(Sandbox.here().isConfining()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "signalbox.db",
        "signalbox.db.lock",
        "signalbox-keys/signing.key",
        "token",
        "agent-token",
        "runs/RUN-OTHER-1/evidence/ab"
      })
  void the_store_the_keys_the_tokens_and_other_runs_are_not_there(String file) throws Exception {
    String path = data.resolve(file).toString();
    ToolResult unshown = read("cat", path);
    assertThat(unshown.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(said(unshown)).contains("No such file").doesNotContain(SECRET);

    // Also when whoever runs it shows the folder around them, under its name or another.
    Path alias = Files.createSymbolicLink(folder.resolve("alias"), folder);
    for (Path name : List.of(folder, alias)) {
      ToolResult around =
          run(
              reach -> reach.hiding(List.of(data)).alsoReading(List.of(name)),
              "cat",
              name.resolve("data").resolve(file).toString());
      assertThat(around.status()).isEqualTo(ToolStatus.FAIL);
      assertThat(said(around)).contains("No such file").doesNotContain(SECRET);
    }

    // A link that leads there leads nowhere.
    Files.createSymbolicLink(work.resolve("link"), data.resolve(file));
    ToolResult linked = read("cat", "link");
    assertThat(said(linked)).contains("No such file").doesNotContain(SECRET);
    assertThat(read("sh", "-c", "ls -a .. ; ls -a /; ls -a ~").toString()).doesNotContain("data");
  }

  @Test
  void the_environment_of_the_parent_and_its_processes_are_not_there() throws Exception {
    long parent = ProcessHandle.current().pid();
    ToolResult direct = read("cat", "/proc/%d/environ".formatted(parent));
    assertThat(direct.status()).isEqualTo(ToolStatus.FAIL);
    String all =
        said(read("sh", "-c", "for p in /proc/[0-9]*; do cat $p/environ $p/cmdline; done; true"));
    System.getenv()
        .forEach((name, value) -> {
          if (value.length() > 12 && !Program.PLAIN_ENVIRONMENT.contains(name)) {
            assertThat(all).doesNotContain(name + "=" + value);
          }
        });
    assertThat(all).doesNotContain("surefire");
    String self = "kill -0 %d".formatted(parent);
    assertThat(read("sh", "-c", self).status()).isEqualTo(ToolStatus.FAIL);
  }

  @Test
  void the_network_is_not_there_unless_it_was_given() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      String connect =
          "import socket,sys; socket.create_connection(('127.0.0.1', %d), 5).close()"
              .formatted(server.getLocalPort());
      assertThat(said(read("/usr/bin/python3", "-c", connect))).contains("refused");
      String datagram =
          "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
              + ".sendto(b'x', ('192.0.2.1', 53))";
      assertThat(said(read("/usr/bin/python3", "-c", datagram))).contains("unreachable");
      assertThat(run(reach -> reach.network(true), "/usr/bin/python3", "-c", connect).status())
          .isEqualTo(ToolStatus.PASS);
    }
  }

  @Test
  void a_socket_of_the_machine_is_not_there() throws Exception {
    Path socket = folder.resolve("socket");
    try (var server =
        java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
      server.bind(java.net.UnixDomainSocketAddress.of(socket));
      String connect =
          "import socket; socket.socket(socket.AF_UNIX).connect('%s')".formatted(socket);
      assertThat(said(read("/usr/bin/python3", "-c", connect))).contains("No such file");
    }
  }

  @Test
  void who_only_reads_can_not_write_whatever_it_tries() throws Exception {
    Files.writeString(work.resolve("file"), "as it was");
    for (String attempt :
        List.of(
            "echo x > file",
            "echo x > new",
            "rm file",
            "chmod 777 file",
            "mv file other",
            "ln -s x link",
            "touch .",
            "mount -o remount,rw . || exit 1",
            "unshare -r mount -o remount,rw . || exit 1")) {
      assertThat(read("sh", "-c", attempt).status()).as(attempt).isEqualTo(ToolStatus.FAIL);
    }
    assertThat(work.resolve("file")).hasContent("as it was");
    assertThat(work).isDirectoryNotContaining(file -> !file.endsWith("file"));
    assertThat(run(reach -> reach.writable(true), "sh", "-c", "echo x > file").status())
        .isEqualTo(ToolStatus.PASS);
    assertThat(work.resolve("file")).hasContent("x");
  }

  @Test
  void nothing_is_written_beside_the_folder() throws Exception {
    Path beside = Files.createDirectory(folder.resolve("beside"));
    ToolResult result =
        run(
            reach -> reach.writable(true),
            "sh",
            "-c",
            "touch ../beside/x; touch /usr/x; touch /etc/x; touch ../y; touch /tmp/scratch");
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(beside).isEmptyDirectory();
    assertThat(folder.resolve("y")).doesNotExist();
    assertThat(Path.of("/tmp/scratch")).doesNotExist();
    assertThat(run(reach -> reach.alsoChanging(List.of(beside)), "touch", beside + "/x").status())
        .isEqualTo(ToolStatus.PASS);
    assertThat(beside.resolve("x")).exists();
  }

  /** A library of the plan's choice would run before there is a sandbox. */
  @Test
  void a_variable_that_the_plan_chose_does_not_reach_what_makes_the_sandbox() throws Exception {
    Files.writeString(work.resolve("evil.so"), "no library");
    Program program =
        Program.of("sh", "-c", "echo \"$LD_PRELOAD\"")
            .with("LD_PRELOAD", work.resolve("evil.so").toString());
    ToolResult result =
        SubprocessTool.of(program).run(ToolCall.of("k-1", "t", Map.of(), work), evidence);
    assertThat(said(result)).contains(work.resolve("evil.so").toString());
    // The loader complains once for the shell within, and not for the program that makes the
    // sandbox.
    assertThat(said(result).lines().filter(line -> line.contains("cannot be preloaded")))
        .hasSize(1);
  }

  /** The seconds that nothing else on this machine sleeps. */
  private String nap() {
    return "9" + Integer.toUnsignedString(folder.hashCode());
  }

  private static boolean anyNaps(String nap) throws IOException {
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        try {
          if (Files.readString(process.resolve("cmdline")).contains("sleep\0" + nap)) {
            return true;
          }
        } catch (IOException e) {
          // It has ended meanwhile.
        }
      }
    }
    return false;
  }

  @Test
  void whoever_interrupts_it_ends_everything_in_it() throws Exception {
    String nap = nap();
    CompletableFuture<ToolResult> result = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(() -> {
              try {
                result.complete(
                    SubprocessTool.of(
                            Program.of(
                                    "sh",
                                    "-c",
                                    "trap '' TERM; (setsid env -i sleep %s &); sleep %s"
                                        .formatted(nap, nap))
                                .endingWithin(Duration.ofMillis(50)))
                        .run(ToolCall.of("k-1", "t", Map.of(), work), evidence));
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    while (!anyNaps(nap)) {
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
    }
    thread.interrupt();
    assertThatThrownBy(result::get).hasCauseInstanceOf(InterruptedException.class);
    assertThat(anyNaps(nap)).isFalse();
  }

  @Test
  void what_a_tool_leaves_behind_ends_with_it() throws Exception {
    String nap = nap();
    ToolResult result =
        run(reach -> reach, "sh", "-c", "(setsid env -i sleep %s &) ; true".formatted(nap));
    assertThat(result.status()).isEqualTo(ToolStatus.PASS);
    assertThat(anyNaps(nap)).isFalse();
  }

  @Test
  void a_copy_is_seen_at_the_folder_s_own_place() throws Exception {
    Path copy = Files.createDirectory(folder.resolve("copy"));
    Files.writeString(copy.resolve("file"), "sealed");
    Files.writeString(work.resolve("file"), "swapped");
    ToolResult result =
        run(
            reach -> reach.showing(copy).writable(true),
            "sh",
            "-c",
            "pwd; cat file; echo new > made");
    assertThat(said(result)).contains(work.toString(), "sealed").doesNotContain("swapped");
    assertThat(copy.resolve("made")).exists();
    assertThat(work.resolve("made")).doesNotExist();
  }

  @Test
  void without_a_sandbox_nothing_runs_unless_somebody_wants_that() throws Exception {
    Confinement missing = new Confinement(new Unconfined("There is none."), false, reach -> reach);
    ToolResult refused =
        SubprocessTool.of(Program.of("touch", "made"), missing)
            .run(ToolCall.of("k-1", "t", Map.of(), work), evidence);
    assertThat(refused.status()).isEqualTo(ToolStatus.FAIL);
    assertThat(refused.message()).contains("Expected a sandbox", "There is none.");
    assertThat(work).isEmptyDirectory();
  }

  @Test
  void a_machine_without_bubblewrap_says_so() throws Exception {
    assertThat(Bubblewrap.find(Map.of("PATH", "/nowhere"), List.of()).why())
        .contains("Install the package bubblewrap");
  }

  /** A program that starts what it is told and keeps it from nothing. */
  @Test
  void what_only_looks_like_a_sandbox_is_none() throws Exception {
    Path place = Files.createDirectory(folder.resolve("bin"));
    Path pretended = place.resolve("bwrap");
    Files.writeString(
        pretended,
        """
        #!/bin/sh
        while [ "$1" != -- ]; do
          if [ "$1" = --chdir ]; then cd "$2"; fi
          shift
        done
        shift
        exec "$@"
        """);
    assertThat(pretended.toFile().setExecutable(true)).isTrue();
    Sandbox found = Bubblewrap.find(Map.of("PATH", place + ":/usr/bin:/bin"), List.of());
    assertThat(found.isConfining()).isFalse();
    assertThat(found.why())
        .contains("store", "keys", "token", "run", "outside", "folder", "environment", "network");
  }
}
