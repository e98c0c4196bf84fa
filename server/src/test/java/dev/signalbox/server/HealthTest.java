package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ready means that the store is open and that nothing waits from before. */
class HealthTest {
  private static final String EGG =
      """
      machine: egg
      states:
        COOKING: { after: { 5m: DONE } }
        DONE: { final: true }
      """;

  private final ManualClock clock = new ManualClock();
  @TempDir Path folder;

  private SqliteJournal journal() {
    return SqliteJournal.open(folder.resolve("eggs.db"), clock);
  }

  /** The journal, on which nothing is written before the gate is opened. */
  private static Journal held(Journal journal, CountDownLatch gate) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (_, method, arguments) -> {
              if (method.getName().equals("append")) {
                gate.await();
              }
              try {
                return method.invoke(journal, arguments);
              } catch (InvocationTargetException e) {
                throw Objects.requireNonNull(e.getCause());
              }
            });
  }

  @Test
  @Timeout(60)
  void it_is_ready_only_when_what_fell_due_while_it_was_down_has_happened() throws Exception {
    try (Signalbox box = Signalbox.open(journal(), Settings.DEFAULT, clock)) {
      box.publish(MachineReader.read(new Source("egg.yaml", EGG)));
      box.submit(new Command.Start("egg", "e-1", Map.of(), Actor.SYSTEM, null));
    }
    clock.advance(Duration.ofHours(1));
    CountDownLatch gate = new CountDownLatch(1);
    try (HttpClient client = HttpClient.newHttpClient();
        Signalbox box = Signalbox.open(held(journal(), gate), Settings.DEFAULT, clock);
        Server server = Server.start(box, List.of(), Served.SETTINGS.at("127.0.0.1", 0), clock)) {
      HttpRequest health =
          HttpRequest.newBuilder(URI.create(server.address() + "/api/v1/health")).build();
      HttpResponse<String> early;
      try {
        early = client.send(health, HttpResponse.BodyHandlers.ofString());
      } finally {
        gate.countDown();
      }
      assertThat(early.statusCode()).isEqualTo(503);
      assertThat(early.body())
          .contains(
              "\"ready\":false", "\"caught_up\":false", "\"store\":\"open\"", "\"live\":true");
      HttpResponse<String> now = early;
      for (int looks = 0; looks < 20_000 && now.statusCode() != 200; looks++) {
        now = client.send(health, HttpResponse.BodyHandlers.ofString());
      }
      assertThat(now.statusCode()).isEqualTo(200);
      assertThat(box.instances(Query.ALL.ofMachine("egg").in("COOKING"))).isEmpty();
    }
  }
}
