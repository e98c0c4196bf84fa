package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The event stream, and many commands in one request. */
class StreamTest {
  @TempDir Path folder;
  private Served served;

  @BeforeEach
  void start() {
    served = new Served(folder);
  }

  @AfterEach
  void stop() {
    served.close();
  }

  /** A client of the stream. */
  static final class Reader implements AutoCloseable {
    private final InputStream stream;
    private final BufferedReader lines;
    final int status;

    private Reader(HttpResponse<InputStream> response) {
      this.status = response.statusCode();
      this.stream = response.body();
      this.lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8));
    }

    /** Opens a stream and waits until it is connected. */
    static Reader open(Served served, String path, @Nullable String last)
        throws IOException, InterruptedException {
      return open(served, served.admin, path, last);
    }

    static Reader open(Served served, String token, String path, @Nullable String last)
        throws IOException, InterruptedException {
      return open(
          served.client, served.request(path).header("Authorization", "Bearer " + token), last);
    }

    static Reader open(HttpClient client, HttpRequest.Builder request, @Nullable String last)
        throws IOException, InterruptedException {
      if (last != null) {
        request.header("Last-Event-ID", last);
      }
      Reader reader =
          new Reader(client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream()));
      assertThat(reader.lines.readLine()).isEqualTo(": connected");
      return reader;
    }

    /** The data of the next event. */
    Map<?, ?> next() throws IOException {
      while (true) {
        String line = Objects.requireNonNull(lines.readLine(), "The stream has ended.");
        if (line.startsWith("data: {\"")) {
          try {
            return (Map<?, ?>) Objects.requireNonNull(Json.parse(line.substring(6)));
          } catch (Json.SyntaxException e) {
            throw new AssertionError(line, e);
          }
        }
      }
    }

    /** The next line that is not empty and no comment. */
    String line() throws IOException {
      String line = Objects.requireNonNull(lines.readLine(), "The stream has ended.");
      return line.isEmpty() || line.startsWith(":") ? line() : line;
    }

    String untilEnd() throws IOException {
      StringBuilder all = new StringBuilder();
      String line;
      while ((line = lines.readLine()) != null) {
        all.append(line).append('\n');
      }
      return all.toString();
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }

  private static Map<?, ?> entry(Map<?, ?> event) {
    return (Map<?, ?>) Objects.requireNonNull(event.get("entry"));
  }

  private static String instance(Map<?, ?> event) {
    return String.valueOf(entry(event).get("instance"));
  }

  private void commands(int count, String prefix) {
    for (int i = 0; i < count; i++) {
      served.box.submit(
          new Command.Start("deploy", prefix + i, Map.of(), Server.owner("owner"), null));
    }
  }

  @Test
  void nothing_is_missed_and_nothing_comes_twice_across_reconnects() throws Exception {
    Random random = new Random(7);
    long begin = served.box.feed().end();
    int total = 400;
    Thread writer = Thread.ofVirtual().start(() -> commands(total, "s-"));
    List<String> seen = new ArrayList<>();
    String last = Long.toString(begin);
    while (seen.size() < total) {
      try (Reader reader = Reader.open(served, "/api/v1/stream?machine=deploy", last)) {
        int most = 1 + random.nextInt(60);
        for (int i = 0; i < most && seen.size() < total; i++) {
          Map<?, ?> event = reader.next();
          last = String.valueOf(event.get("position"));
          seen.add(instance(event));
        }
      }
    }
    writer.join();
    assertThat(new HashSet<>(seen)).hasSize(total);
    assertThat(seen).hasSize(total);
  }

  @Test
  void a_second_server_on_the_same_store_goes_on_where_the_first_stopped() throws Exception {
    commands(10, "a-");
    long begin = 0;
    String last;
    List<String> seen = new ArrayList<>();
    try (Reader reader =
        Reader.open(served, "/api/v1/stream?machine=deploy&after=" + begin, null)) {
      String position = "";
      for (int i = 0; i < 5; i++) {
        Map<?, ?> event = reader.next();
        position = String.valueOf(event.get("position"));
        seen.add(instance(event));
      }
      last = position;
    }
    try (Server second =
        Server.start(
            served.box,
            List.of(),
            ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(folder),
            java.time.InstantSource.system())) {
      HttpResponse<InputStream> response =
          served.client.send(
              HttpRequest.newBuilder(
                      java.net.URI.create(second.address() + "/api/v1/stream?machine=deploy"))
                  .header("Authorization", "Bearer " + served.admin)
                  .header("Last-Event-ID", last)
                  .build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (Reader reader = new Reader(response)) {
        for (int i = 0; i < 5; i++) {
          seen.add(instance(reader.next()));
        }
      }
    }
    assertThat(seen)
        .containsExactly("a-0", "a-1", "a-2", "a-3", "a-4", "a-5", "a-6", "a-7", "a-8", "a-9");
  }

  @Test
  void a_filter_lets_only_what_fits_through() throws Exception {
    commands(1, "f-");
    try (Reader reader = Reader.open(served, "/api/v1/stream?kind=refusal&instance=f-0", null)) {
      served.post("/api/v1/instances/f-0/events", served.admin, Map.of("event", "approve"));
      served.post("/api/v1/instances/f-0/events", served.admin, Map.of("event", "start"));
      Map<?, ?> event = reader.next();
      assertThat(entry(event).get("code")).isEqualTo("guard-refused");
    }
  }

  @Test
  void many_commands_in_one_request_are_answered_in_order() throws Exception {
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      body.append("{\"start\":\"deploy\",\"id\":\"b-%d\"}\n".formatted(i));
    }
    body.append("{\"instance\":\"b-7\",\"event\":\"approve\",\"key\":\"k\"}\n");
    body.append("{\"instance\":\"b-7\",\"event\":\"approve\",\"key\":\"k\"}\n");
    body.append("{\"instance\":\"b-7\",\"event\":\"start\"}\n");
    body.append("not json\n");
    body.append("{\"start\":\"token\"}\n");
    body.append("{\"instance\":\"b-7\",\"event\":\"approve\",\"expected_sequence\":1}\n");
    Served.Answer answer =
        served.send(
            served
                .request("/api/v1/events")
                .header("Content-Type", "application/x-ndjson")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString())),
            served.admin);
    assertThat(answer.status()).isEqualTo(200);
    List<String> lines = answer.text().lines().toList();
    assertThat(lines).hasSize(3_006);
    assertThat(lines.get(0)).startsWith("{\"line\":1,\"instance\":\"b-0\",\"sequence\":1,");
    assertThat(lines.get(2_999)).contains("\"b-2999\"");
    assertThat(lines.get(3_000)).contains("\"sequence\":2");
    assertThat(lines.get(3_001).substring(14)).isEqualTo(lines.get(3_000).substring(14));
    assertThat(lines.get(3_002)).contains("guard-refused");
    assertThat(lines.get(3_003)).contains("bad-request");
    assertThat(lines.get(3_004)).contains("forbidden");
    assertThat(lines.get(3_005)).contains("stale-sequence");
  }
}
