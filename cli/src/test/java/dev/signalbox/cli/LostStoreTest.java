package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A store that is taken away from a server that is up, and the next one that is asked for. */
class LostStoreTest {
  @TempDir Path folder;

  private Path data(String name) {
    return folder.resolve("data").resolve(name);
  }

  private record Result(int exit, String err) {}

  private Result run(String... args) {
    StringWriter err = new StringWriter();
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    return new Result(line.execute(args), err.toString());
  }

  @Test
  void a_server_whose_store_was_deleted_is_not_ready_and_the_next_one_does_not_begin_anew()
      throws Exception {
    try (Up up = Up.in(folder)) {
      assertThat(up.get("/health").statusCode()).isEqualTo(200);
      Files.delete(data("signalbox.db"));
      long since = System.nanoTime();
      HttpResponse<String> health = up.get("/health");
      while (health.statusCode() == 200
          && System.nanoTime() - since < Duration.ofSeconds(2).toNanos()) {
        LockSupport.parkNanos(20_000_000);
        health = up.get("/health");
      }
      assertThat(health.statusCode()).isEqualTo(503);
      assertThat(health.body()).contains("unavailable");
    }
    String token = Files.readString(data("token"));
    Up.Refused refused = Up.refused(folder);
    assertThat(refused.code()).isEqualTo(1);
    assertThat(refused.err()).contains("signalbox.db").contains("gone").contains("backup");
    assertThat(data("signalbox.db")).doesNotExist();
    assertThat(Files.readString(data("token"))).isEqualTo(token);
    String store = "jdbc:sqlite:" + data("signalbox.db");
    for (List<String> command :
        List.of(
            List.of("list", "--db", store),
            List.of("start", "task", "--db", store),
            List.of("verify", "--db", store))) {
      Result result = run(command.toArray(String[]::new));
      assertThat(result.exit()).as("%s", command).isEqualTo(1);
      assertThat(result.err()).as("%s", command).contains("gone").contains("backup");
      assertThat(data("signalbox.db")).doesNotExist();
    }
    for (String trace : List.of("-wal", "-shm", ".lock", ".keys")) {
      Files.deleteIfExists(data("signalbox.db" + trace));
    }
    assertThat(Up.refused(folder).err()).contains("token").contains("gone");
  }
}
