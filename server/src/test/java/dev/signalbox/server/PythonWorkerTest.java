package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.testkit.ManualClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The worker of {@code examples/python-worker} as its own process, against a real server. */
@Timeout(120)
class PythonWorkerTest {
  private static final Path WORKER =
      Path.of(System.getProperty("project.root"), "examples", "python-worker", "worker.py");

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Served served;
  private Process process;
  private BufferedReader said;
  private String worker;

  @BeforeEach
  void started() throws Exception {
    served = new Served(folder, Served.SETTINGS, clock, List.of());
    ProcessBuilder builder =
        new ProcessBuilder("python3", WORKER.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("SIGNALBOX_ADDRESS", served.server.address());
    builder.environment().put("SIGNALBOX_TOKEN", served.token("snake", "agent"));
    builder.environment().put("HEARTBEAT_SECONDS", "0.05");
    process = builder.start();
    said = process.inputReader(StandardCharsets.UTF_8);
    worker = heard("ready ");
  }

  @AfterEach
  void ended() {
    process.destroyForcibly();
    served.close();
  }

  /** What follows the words in the next line that begins with them. */
  private String heard(String words) throws IOException {
    String line = said.readLine();
    while (line != null && !line.startsWith(words)) {
      line = said.readLine();
    }
    return Objects.requireNonNull(line, "The worker has ended.").substring(words.length());
  }

  private String submitted(Object input) throws Exception {
    return served
        .post(
            "/api/v1/tasks",
            served.admin,
            Map.of("kind", "count-words", "input", input, "limit_ms", 60_000L))
        .word("instance");
  }

  private Served.Answer task(String id) throws Exception {
    return served.get("/api/v1/tasks/" + id, served.admin);
  }

  /** The task once it is in the state. */
  private Served.Answer task(String id, String state) throws Exception {
    Served.Answer task = task(id);
    while (!task.word("state").equals(state)) {
      task = task(id);
    }
    return task;
  }

  private String state() throws Exception {
    return served.get("/api/v1/instances/" + worker, served.admin).list("states").toString();
  }

  /** Sends SIGTERM; the process's own method would also close what it writes to. */
  private void stop() {
    assertThat(process.toHandle().destroy()).isTrue();
  }

  /** A file that is read only when somebody writes it, so that a task takes as long as wanted. */
  private Path pipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  private static Map<String, Object> reading(Path file) {
    return Map.of("file", file.toString());
  }

  @Test
  void it_does_tasks_to_their_end() throws Exception {
    List<String> tasks = new ArrayList<>();
    for (int words = 0; words < 5; words++) {
      Path file = Files.writeString(folder.resolve(words + ".txt"), "word ".repeat(words));
      tasks.add(submitted(reading(file)));
    }
    String senseless = submitted("no file");
    for (int words = 0; words < 5; words++) {
      Served.Answer task = task(tasks.get(words), "COMPLETED");
      assertThat(task.at("result")).isEqualTo(Map.of("words", (long) words));
      assertThat(task.at("worker")).isEqualTo(worker);
    }
    Served.Answer task = task(senseless, "PERMANENTLY_FAILED");
    assertThat(task.at("executions")).isEqualTo(1L);
    assertThat(task.word("error")).contains("Expected {\"file\": PATH}.");

    stop();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(state()).isEqualTo("[TERMINATED]");
  }

  @Test
  void what_fails_for_a_while_is_tried_again() throws Exception {
    Path file = folder.resolve("later.txt");
    String id = submitted(reading(file));
    Served.Answer failed = task(id, "RETRY_QUEUED");
    assertThat(failed.at("error")).isEqualTo("FileNotFoundError");
    assertThat(failed.at("retries")).isEqualTo(1L);
    Files.writeString(file, "here it is");
    clock.advance(Duration.ofSeconds(5));
    Served.Answer done = task(id, "COMPLETED");
    assertThat(done.at("executions")).isEqualTo(2L);
    assertThat(done.at("result")).isEqualTo(Map.of("words", 3L));
  }

  @Test
  void a_result_after_its_lease_is_over_is_refused() throws Exception {
    Path pipe = pipe();
    String id = submitted(reading(pipe));
    long fence = (Long) task(id, "RUNNING").at("fence");
    clock.advance(Duration.ofSeconds(60));
    assertThat(heard("gone ")).isEqualTo(id);
    assertThat(task(id, "RETRY_QUEUED").at("error")).isEqualTo("over its limit");
    Files.writeString(pipe, "too late");
    assertThat(heard("refused ")).isEqualTo("no-transition " + id);
    assertThat(task(id).at("state")).isEqualTo("RETRY_QUEUED");
    assertThat(
            served
                .get("/api/v1/instances/" + id + "/refusals", served.admin)
                .text()
                .split("\"name\":\"succeeded\"", -1))
        .hasSize(2);

    clock.advance(Duration.ofSeconds(5));
    Served.Answer again = task(id, "RUNNING");
    assertThat((Long) again.at("fence")).isGreaterThan(fence);
    Files.writeString(pipe, "now in time");
    assertThat(task(id, "COMPLETED").at("result")).isEqualTo(Map.of("words", 3L));
  }

  @Test
  void told_to_stop_it_finishes_what_it_has_in_hand() throws Exception {
    Path pipe = pipe();
    String id = submitted(reading(pipe));
    String waiting = submitted(reading(pipe));
    task(id, "RUNNING");
    stop();
    while (!state().equals("[SHUTTING_DOWN]")) {
      assertThat(process.isAlive()).isTrue();
    }
    Files.writeString(pipe, "still done");
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(task(id).at("state")).isEqualTo("COMPLETED");
    assertThat(task(waiting).at("state")).isEqualTo("QUEUED");
    assertThat(state()).isEqualTo("[TERMINATED]");
  }
}
