package dev.signalbox.bench.server;

import dev.signalbox.bench.Bench;
import dev.signalbox.bench.TemporaryFolder;
import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import dev.signalbox.server.access.Tokens;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;

/**
 * Events over HTTP: NDJSON, one request for each, and two thousand open streams; beside the Java
 * API on the same store in the same process.
 */
public final class ServerBench implements Bench {
  private static final int INSTANCES = 4_000;
  private static final int LINES = 1_000;
  private static final int CONNECTIONS = 4;
  private static final int UNDER_WAY = CONNECTIONS * LINES;
  private static final int STREAMS = 2_000;
  private static final int COMMANDS_A_SECOND = 10;

  private static final String MACHINE =
      """
      machine: lamp
      states:
        OFF:
          waits: somebody
          on: { press: ON }
        ON:
          waits: somebody
          on: { press: OFF }
      """;

  @Override
  public String name() {
    return "server";
  }

  @Override
  public String describe() {
    return "events over HTTP beside the Java API, and 2,000 open streams";
  }

  @Override
  public void run(boolean quick) throws Exception {
    Duration each = Duration.ofSeconds(quick ? 6 : 20);
    InstantSource clock = InstantSource.system();
    Map<String, Object> figures = new LinkedHashMap<>();
    try (TemporaryFolder folder = TemporaryFolder.temporary("bench-server");
        Signalbox box =
            Signalbox.open(
                "jdbc:sqlite:" + folder.path().resolve("box.db"), Settings.DEFAULT, clock)) {
      box.publish(MachineReader.read(new Source("lamp.yaml", MACHINE)));
      ServerSettings settings =
          ServerSettings.DEFAULT.at("127.0.0.1", 0).rates(1_000_000, 1_000).folder(folder.path());
      try (Server server = Server.start(box, List.of(), settings, clock)) {
        String token =
            server
                .tokens()
                .create(
                    new Tokens.Order(
                        "bench", List.of("operator", "viewer"), List.of(), Duration.ofDays(1)),
                    Server.owner("bench"))
                .secret();
        populate(box);
        // Each once for a while first, so that both are compiled when they are measured.
        java(box, each.dividedBy(2));
        bulk(server, token, each.dividedBy(2));
        double java = java(box, each);
        double bulk = bulk(server, token, each);
        double single = single(server, token, each);
        System.out.printf("%-44s %12s %8s%n", "", "events/s", "of Java");
        row("Java API, %,d under way".formatted(UNDER_WAY), java, java);
        row("NDJSON, %d connections, %,d lines".formatted(CONNECTIONS, LINES), bulk, java);
        row("POST, one event each, %d connections".formatted(CONNECTIONS * 8), single, java);
        figures.put("java_api", Math.round(java));
        figures.put("ndjson", Math.round(bulk));
        figures.put("post", Math.round(single));
        figures.put("ndjson_of_java", Math.round(100 * bulk / java) / 100.0);
        figures.put("post_of_java", Math.round(100 * single / java) / 100.0);
        figures.put("ndjson_reaches_half_of_java", bulk >= java / 2);
        figures.putAll(
            new StreamLoad(box, server, token, STREAMS, COMMANDS_A_SECOND)
                .run(quick ? Duration.ofSeconds(20) : Duration.ofMinutes(5)));
      }
    }
    System.out.println(Json.text(figures));
  }

  private static void row(String what, double perSecond, double java) {
    System.out.printf("%-44s %,12.0f %7.0f%%%n", what, perSecond, 100 * perSecond / java);
  }

  private static void populate(Signalbox box) throws InterruptedException {
    Semaphore room = new Semaphore(UNDER_WAY);
    for (int i = 0; i < INSTANCES; i++) {
      room.acquire();
      var _ =
          box.submitAsync(new Command.Start("lamp", id(i), Map.of(), Server.owner("bench"), null))
              .whenComplete((_, _) -> room.release());
    }
    room.acquire(UNDER_WAY);
  }

  private static String id(int number) {
    return "lamp-" + number;
  }

  /** As many as the requests of the NDJSON clients have under way together. */
  private static double java(Signalbox box, Duration time) throws InterruptedException {
    Semaphore room = new Semaphore(UNDER_WAY);
    LongAdder done = new LongAdder();
    LongAdder refused = new LongAdder();
    long begin = System.nanoTime();
    long end = begin + time.toNanos();
    for (int i = 0; System.nanoTime() < end; i = (i + 1) % INSTANCES) {
      room.acquire();
      var _ =
          box.submitAsync(Command.Send.of(id(i), "press", null).by(Server.owner("bench")))
              .whenComplete((reply, _) -> {
                (reply instanceof Reply.Accepted ? done : refused).increment();
                room.release();
              });
    }
    room.acquire(UNDER_WAY);
    return rate(done, refused, begin);
  }

  private static double bulk(Server server, String token, Duration time)
      throws InterruptedException {
    String[] bodies = new String[CONNECTIONS];
    for (int c = 0; c < CONNECTIONS; c++) {
      StringBuilder body = new StringBuilder();
      for (int i = 0; i < LINES; i++) {
        body.append("{\"instance\":\"")
            .append(id(c * LINES + i))
            .append("\",\"event\":\"press\"}\n");
      }
      bodies[c] = body.toString();
    }
    return clients(
        CONNECTIONS,
        time,
        (client, c, done, refused) -> {
          HttpResponse<String> response =
              client.send(
                  request(server, "/api/v1/events", token, "application/x-ndjson", bodies[c]),
                  HttpResponse.BodyHandlers.ofString());
          String text = response.body();
          int at = 0;
          while ((at = text.indexOf("\"sequence\":", at) + 1) > 0) {
            done.increment();
          }
          if (response.statusCode() != 200 || text.contains("\"problem\":")) {
            refused.increment();
          }
        });
  }

  private static double single(Server server, String token, Duration time)
      throws InterruptedException {
    int clients = CONNECTIONS * 8;
    int[] next = new int[clients];
    return clients(
        clients,
        time,
        (client, c, done, refused) -> {
          int share = INSTANCES / clients;
          String id = id(c * share + next[c]++ % share);
          HttpResponse<Void> response =
              client.send(
                  request(
                      server,
                      "/api/v1/instances/" + id + "/events",
                      token,
                      "application/json",
                      "{\"event\":\"press\"}"),
                  HttpResponse.BodyHandlers.discarding());
          (response.statusCode() == 200 ? done : refused).increment();
        });
  }

  private static HttpRequest request(
      Server server, String path, String token, String type, String body) {
    return HttpRequest.newBuilder(URI.create(server.address() + path))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", type)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  @FunctionalInterface
  private interface Call {
    void once(HttpClient client, int number, LongAdder done, LongAdder refused)
        throws IOException, InterruptedException;
  }

  private static double clients(int count, Duration time, Call call) throws InterruptedException {
    LongAdder done = new LongAdder();
    LongAdder refused = new LongAdder();
    CountDownLatch ended = new CountDownLatch(count);
    long begin = System.nanoTime();
    long end = begin + time.toNanos();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (int c = 0; c < count; c++) {
        int number = c;
        Thread.ofVirtual()
            .start(() -> {
              try {
                while (System.nanoTime() < end) {
                  call.once(client, number, done, refused);
                }
              } catch (IOException | InterruptedException e) {
                refused.increment();
              } finally {
                ended.countDown();
              }
            });
      }
      ended.await();
    }
    return rate(done, refused, begin);
  }

  private static double rate(LongAdder done, LongAdder refused, long begin) {
    double seconds = (System.nanoTime() - begin) / 1e9;
    if (refused.sum() > 0) {
      throw new IllegalStateException(
          "Expected every event to be accepted, but %,d were not.".formatted(refused.sum()));
    }
    return done.sum() / seconds;
  }
}
