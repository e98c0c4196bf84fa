package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code up --traces} and a collector that reads what it sends. */
class TracesTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String CALLER = "b7ad6b7169203331";
  private static final String TRACEPARENT = traceparent(TRACE);
  private static final String OTHER = "4bf92f3577b34da6a3ce929d0e0e4736";

  /** What nobody outside may read: a personal field, an event's data, a token. */
  private static final String SECRET = "Hunter2-of-Grace-Hopper";

  private static final String PATIENT =
      """
      machine: patient
      context:
        name: { type: string, default: "", personal: true }
        note: { type: string, default: "" }
      events:
        admit: { data: { name: string } }
      states:
        OUTSIDE:
          waits: somebody
          on: { admit: { to: INSIDE, assign: { name: event.name, note: event.name } } }
        INSIDE:
          waits: somebody
          on: { leave: GONE }
        GONE: { final: true }
      """;

  /** Somebody is asked before it does anything. */
  private static final String PLAN =
      """
      project: demo
      folder: work
      tools:
        - { name: merge, command: ["true"], risks: [merge_to_main] }
      checks:
        - { name: there, command: ["true"] }
      """;

  private static final String BELL =
      """
      machine: bell
      states:
        QUIET:
          waits: for someone
          on: { ring: { to: RINGING, do: [ { perform: { effect: hammer } } ] } }
        RINGING:
          waits: for the hammer
          on: { hammer.succeeded: QUIET, hammer.failed: QUIET, hammer.unknown: QUIET }
      """;

  @TempDir Path folder;

  private static String traceparent(String trace) {
    return "00-" + trace + "-" + CALLER + "-01";
  }

  private static boolean is(Span span, String name, String instance) {
    return span.getName().equals(name)
        && Collector.attribute(span, "signalbox.instance").equals(instance);
  }

  /** That the run's start, its first effect and its result are in the trace, below the caller. */
  private static void assertJoined(Collector collector, String run, String trace) throws Exception {
    Span step = collector.await(span -> is(span, "signalbox.step", run));
    Span effect = collector.await(span -> is(span, "signalbox.effect", run));
    Span result = collector.await(span -> is(span, "signalbox.result", run));

    assertThat(Collector.trace(step)).isEqualTo(trace);
    assertThat(Collector.parent(step)).isEqualTo(CALLER);
    assertThat(Collector.attribute(step, "signalbox.machine")).startsWith("runs.run");
    assertThat(Collector.trace(effect)).isEqualTo(trace);
    assertThat(Collector.parent(effect)).isEqualTo(Collector.id(step));
    assertThat(Collector.attribute(effect, "signalbox.effect")).isEqualTo("runs.begin");
    assertThat(Collector.trace(result)).isEqualTo(trace);
    assertThat(result.getLinks(0).getSpanId()).isEqualTo(effect.getSpanId());
  }

  @Test
  void a_run_that_is_started_and_halted_is_in_the_traces_of_who_asked() throws Exception {
    Files.createDirectories(folder.resolve("work"));
    try (Collector collector = new Collector();
        Up up = Up.in(folder, "--traces", collector.address())) {
      HttpResponse<String> answer =
          up.post("/runs", Map.of("plan", PLAN), "traceparent", TRACEPARENT);
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      String run =
          String.valueOf(
              ((Map<?, ?>) Objects.requireNonNull(Json.parse(answer.body()))).get("run_id"));
      assertJoined(collector, run, TRACE);
      assertThat(collector.service()).isEqualTo("signalbox");

      HttpResponse<String> halted =
          up.post(
              "/runs/" + run + "/halt",
              Map.of("reason", "enough"),
              "traceparent",
              traceparent(OTHER));
      assertThat(halted.statusCode()).as(halted.body()).isEqualTo(200);
      Span halt =
          collector.await(span ->
              is(span, "signalbox.step", run)
                  && Collector.attribute(span, "signalbox.states").contains("HALTED_UNSAFE"));
      assertThat(Collector.trace(halt)).isEqualTo(OTHER);
      assertThat(Collector.parent(halt)).isEqualTo(CALLER);
    }
  }

  @Test
  void what_an_agent_starts_and_sends_over_mcp_is_in_its_trace() throws Exception {
    try (Collector collector = new Collector();
        Up up = Up.in(folder, "--traces", collector.address());
        McpSyncClient client = up.mcp("traceparent", TRACEPARENT)) {
      up.publish(PATIENT);
      call(client, "start_instance", Map.of("machine", "patient", "id", "p-1"));
      Span started = collector.await(span -> is(span, "signalbox.step", "p-1"));
      assertThat(Collector.trace(started)).isEqualTo(TRACE);
      assertThat(Collector.parent(started)).isEqualTo(CALLER);

      CallToolRequest own =
          CallToolRequest.builder("send_event")
              .arguments(
                  Map.of("instance", "p-1", "event", "admit", "data", Map.of("name", "somebody")))
              .meta(Map.of("traceparent", traceparent(OTHER)))
              .build();
      assertThat(client.callTool(own).isError()).isFalse();
      Span admitted =
          collector.await(span ->
              is(span, "signalbox.step", "p-1")
                  && Collector.attribute(span, "signalbox.event").equals("admit"));
      assertThat(Collector.trace(admitted)).isEqualTo(OTHER);
      assertThat(Collector.parent(admitted)).isEqualTo(CALLER);
    }
  }

  private static void call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    CallToolResult result =
        client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
    assertThat(result.isError()).as(String.valueOf(result.structuredContent())).isFalse();
  }

  @Test
  void an_effect_that_is_done_after_a_restart_is_in_the_trace_of_who_asked_before()
      throws Exception {
    try (Collector collector = new Collector()) {
      try (Life first = new Life(collector)) {
        first.box.publish(MachineReader.read(new Source("bell.yaml", BELL)));
        assertThat(first.box.submit(new Command.Start("bell", "b-1", Map.of(), Actor.SYSTEM, null)))
            .isInstanceOf(Reply.Accepted.class);
        first.ring(TRACEPARENT);
      }
      Span step = collector.await(span -> is(span, "signalbox.step", "b-1"));
      assertThat(collector.spans()).noneMatch(span -> span.getName().equals("signalbox.effect"));
      try (Life second = new Life(collector)) {
        second.box.handle("hammer", _ -> Outcome.succeeded());
        Span effect = collector.await(span -> is(span, "signalbox.effect", "b-1"));
        Span result = collector.await(span -> is(span, "signalbox.result", "b-1"));

        assertThat(Collector.trace(step)).isEqualTo(TRACE);
        assertThat(Collector.trace(effect)).isEqualTo(TRACE);
        assertThat(Collector.parent(effect)).isEqualTo(Collector.id(step));
        assertThat(Collector.trace(result)).isEqualTo(TRACE);
        assertThat(Collector.attribute(result, "signalbox.states")).isEqualTo("QUIET");
      }
    }
  }

  /** What {@code up --traces} puts together, on the folder's store, with a handler to be given. */
  private final class Life implements AutoCloseable {
    private final OpenTelemetrySdk telemetry;
    final Signalbox box;
    private final Server server;

    Life(Collector collector) {
      CareOptions options = new CareOptions();
      new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(options))
          .parseArgs("--traces", collector.address());
      telemetry = Objects.requireNonNull(options.telemetry());
      InstantSource clock = InstantSource.system();
      box =
          Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock, null);
      server =
          Server.start(
              box,
              List.of(),
              ServerSettings.DEFAULT
                  .at("127.0.0.1", 0)
                  .folder(folder)
                  .care(options.care().tracing(telemetry)),
              clock);
    }

    void ring(String traceparent) throws Exception {
      String token = LocalToken.in(folder, server.tokens(), "ann");
      try (HttpClient client = HttpClient.newHttpClient()) {
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(
                        URI.create(server.address() + "/api/v1/instances/b-1/events"))
                    .header("Authorization", "Bearer " + token)
                    .header("Content-Type", "application/json")
                    .header("traceparent", traceparent)
                    .POST(HttpRequest.BodyPublishers.ofString("{\"event\":\"ring\"}"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      }
    }

    @Override
    public void close() {
      server.close();
      box.close();
      telemetry.close();
    }
  }

  @Test
  void neither_personal_data_nor_what_an_event_carries_nor_a_token_is_ever_sent() throws Exception {
    try (Collector collector = new Collector();
        Up up = Up.in(folder, "--traces", collector.address())) {
      up.publish(PATIENT);
      Map<String, Object> input = Map.of("name", SECRET, "note", SECRET);
      Map<String, Object> data = Map.of("name", SECRET);
      assertThat(
              up.post("/instances", Map.of("machine", "patient", "id", "p-1", "input", input))
                  .statusCode())
          .isEqualTo(201);
      String events = "/instances/p-1/events";
      assertThat(up.post(events, Map.of("event", "admit", "data", data)).statusCode())
          .isEqualTo(200);
      assertThat(up.post(events, Map.of("event", "admit", "data", data)).statusCode())
          .isEqualTo(409);
      assertThat(
              up.post(events, Map.of("event", "leave", "data", data), "Idempotency-Key", SECRET)
                  .statusCode())
          .isEqualTo(200);
      up.end();

      assertThat(collector.spans()).hasSize(4).allMatch(s -> s.getName().equals("signalbox.step"));
      assertThat(collector.everything())
          .contains("p-1", "patient", "admit", "no-transition")
          .doesNotContain(SECRET, "Hunter2", "Hopper", "sbx_");
    }
  }
}
