package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.server.access.Tokens;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The door for agents, with the protocol's own client over a socket. */
class McpTest {
  private static final String PARCEL =
      """
      machine: parcel
      context: { kilos: { type: int, default: 0 }, note: { type: string, default: "" } }
      events:
        pack: { description: Puts it in a box., data: { kilos: int } }
        agent.noted: { data_type: string }
      states:
        NEW:
          waits: for an agent
          on:
            pack: { to: PACKED, assign: { kilos: event.kilos } }
            agent.noted: { assign: { note: event } }
        PACKED: { final: true }
      """;

  /** Apart from the common pool, which the HTTP client needs. */
  static final Executor APART = task -> Thread.ofVirtual().start(task);

  @TempDir Path folder;
  private Served served;
  private String agent;
  private final List<McpSyncClient> clients = new ArrayList<>();
  private final BlockingQueue<List<Tool>> changes = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() {
    served = new Served(folder);
    served.box.publish(MachineReader.read(new Source("parcel.yaml", PARCEL)));
    agent = served.token("robin", "agent");
  }

  @AfterEach
  void stop() {
    clients.forEach(McpSyncClient::close);
    served.close();
  }

  private McpSyncClient unopened(String token, String query) {
    McpSyncClient client = unopened(served, token, query, changes);
    clients.add(client);
    return client;
  }

  static McpSyncClient unopened(
      Served served, String token, String query, BlockingQueue<List<Tool>> changes) {
    return McpClient.sync(
            HttpClientStreamableHttpTransport.builder(served.server.address())
                .endpoint("/mcp" + query)
                .requestBuilder(HttpRequest.newBuilder().header("Authorization", "Bearer " + token))
                .build())
        .requestTimeout(Duration.ofSeconds(40))
        .toolsChangeConsumer(changes::add)
        .build();
  }

  /** A message to a connection; without one it begins one. */
  static HttpRequest.Builder message(Served served, String query, String id, String message) {
    HttpRequest.Builder request =
        served
            .request("/mcp" + query)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(message));
    return id.isEmpty() ? request : request.header("Mcp-Session-Id", id);
  }

  static final String HELLO =
      """
      {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",
       "capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}\
      """;

  static final String LIST = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}";

  private McpSyncClient client(String token, String query) {
    McpSyncClient client = unopened(token, query);
    client.initialize();
    return client;
  }

  static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private static Map<?, ?> content(CallToolResult result) {
    return (Map<?, ?>) Objects.requireNonNull(result.structuredContent());
  }

  static Map<?, ?> good(CallToolResult result) {
    assertThat(result.isError()).as(String.valueOf(result.structuredContent())).isFalse();
    return content(result);
  }

  private static Map<?, ?> refused(CallToolResult result, String code) {
    assertThat(result.isError()).isTrue();
    assertThat(content(result).get("code")).isEqualTo(code);
    return content(result);
  }

  private static List<String> names(List<Tool> tools) {
    return tools.stream().map(Tool::name).toList();
  }

  private String started(McpSyncClient client, String machine) {
    return String.valueOf(
        good(call(client, "start_instance", Map.of("machine", machine))).get("instance"));
  }

  private void approved(String id) throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(
              served
                  .post(
                      "/api/v1/instances/" + id + "/events",
                      served.admin,
                      Map.of("event", "approve"))
                  .status())
          .isEqualTo(200);
    }
  }

  @Test
  void an_agent_drives_a_machine_to_its_end_and_reads_why_it_is_refused() throws Exception {
    McpSyncClient client = client(agent, "");
    assertThat(names(client.listTools().tools()))
        .containsExactly("list_machines", "read_instance", "start_instance", "send_event", "wait");
    assertThat(good(call(client, "list_machines", Map.of())).toString())
        .contains("name=deploy", "name=parcel")
        .doesNotContain("name=token");
    String id = started(client, "deploy");

    Map<?, ?> early =
        refused(
            call(client, "send_event", Map.of("instance", id, "event", "start")), "guard-refused");
    assertThat(String.valueOf(early.get("detail"))).contains("ctx.approvals is 0");
    assertThat(String.valueOf(early.get("permitted"))).contains("event=approve", "allowed=false");
    assertThat(String.valueOf(early.get("hint"))).isNotEmpty();
    refused(
        call(client, "send_event", Map.of("instance", id, "event", "approve")), "role-required");
    refused(
        call(client, "send_event", Map.of("instance", id, "event", "nonsense")), "no-transition");

    approved(id);
    Map<String, Object> begin =
        Map.of("instance", id, "event", "start", "idempotency_key", "k-1", "expected_sequence", 3);
    Map<?, ?> first = good(call(client, "send_event", begin));
    assertThat(good(call(client, "send_event", begin))).isEqualTo(first);
    refused(
        call(
            client,
            "send_event",
            Map.of("instance", id, "event", "succeeded", "expected_sequence", 3)),
        "stale-sequence");
    good(call(client, "send_event", Map.of("instance", id, "event", "succeeded")));
    Map<?, ?> end = good(call(client, "read_instance", Map.of("instance", id)));
    assertThat(end.get("leaves")).isEqualTo(List.of("DONE"));
    assertThat(end.get("status")).isEqualTo("ended");
    refused(call(client, "send_event", Map.of("instance", id, "event", "start")), "instance-final");

    Served.Answer history = served.get("/api/v1/instances/" + id + "/history", served.admin);
    assertThat(history.word("entries")).contains("kind=agent", "name=robin");
    assertThat(served.get("/api/v1/instances/" + id + "/refusals", served.admin).list("entries"))
        .hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void a_connection_with_one_instance_has_the_tools_of_its_state() throws Exception {
    String id = started(client(agent, ""), "deploy");
    McpSyncClient client = client(agent, "?instance=" + id);
    assertThat(names(client.listTools().tools()))
        .containsExactly("start", "signalbox_read", "signalbox_wait");
    Map<?, ?> why = refused(call(client, "start", Map.of()), "guard-refused");
    assertThat(why.get("states")).isEqualTo(List.of("PLANNED"));
    refused(call(client, "approve", Map.of()), "role-required");
    refused(call(client, "succeeded", Map.of()), "no-transition");

    approved(id);
    good(call(client, "start", Map.of()));
    List<Tool> running = changes.poll(30, TimeUnit.SECONDS);
    assertThat(running).isNotNull();
    assertThat(names(running))
        .containsExactlyInAnyOrder("succeeded", "failed", "signalbox_read", "signalbox_wait");
    good(call(client, "succeeded", Map.of()));
    List<Tool> ended = changes.poll(30, TimeUnit.SECONDS);
    assertThat(ended).isNotNull();
    assertThat(names(ended)).containsExactly("signalbox_read", "signalbox_wait");
    assertThat(good(call(client, "signalbox_read", Map.of())).get("status")).isEqualTo("ended");
    refused(call(client, "failed", Map.of()), "instance-final");
  }

  @Test
  void the_input_of_a_tool_is_the_declared_data_of_its_event() {
    String id = started(client(agent, ""), "parcel");
    McpSyncClient client = client(agent, "?instance=" + id);
    List<Tool> tools = client.listTools().tools();
    Tool pack = tools.stream().filter(t -> t.name().equals("pack")).findFirst().orElseThrow();
    assertThat(pack.description()).isEqualTo("Puts it in a box.");
    assertThat(pack.inputSchema().toString()).contains("kilos={type=integer}", "required=[kilos]");
    Tool noted =
        tools.stream().filter(t -> "agent.noted".equals(t.title())).findFirst().orElseThrow();
    assertThat(noted.name()).matches("agent_noted_[0-9a-f]{8}");
    assertThat(noted.inputSchema().toString()).contains("data={type=string}");

    refused(call(client, "pack", Map.of("kilos", "many")), "data-mismatch");
    good(call(client, noted.name(), Map.of("data", "fragile")));
    CallToolRequest keyed =
        CallToolRequest.builder("pack")
            .arguments(Map.of("kilos", 3))
            .meta(Map.of("signalbox/idempotency_key", "once"))
            .build();
    Map<?, ?> packed = good(client.callTool(keyed));
    assertThat(good(client.callTool(keyed))).isEqualTo(packed);
    assertThat(good(call(client, "signalbox_read", Map.of())).get("context"))
        .isEqualTo(Map.of("kilos", 3, "note", "fragile"));
  }

  @Test
  void waiting_ends_with_the_state_the_event_the_change_or_the_time() throws Exception {
    McpSyncClient client = client(agent, "");
    String id = started(client, "deploy");
    Map<?, ?> over =
        good(call(client, "wait", Map.of("instance", id, "state", "RUNNING", "seconds", 0)));
    assertThat(over.get("reached")).isEqualTo(false);
    assertThat(over.get("leaves")).isEqualTo(List.of("PLANNED"));
    refused(call(client, "wait", Map.of("instance", id, "seconds", 4_000)), "bad-request");

    CompletableFuture<CallToolResult> event =
        CompletableFuture.supplyAsync(
            () ->
                call(
                    client,
                    "wait",
                    Map.of("instance", id, "event", "approve", "after_sequence", 1, "seconds", 25)),
            APART);
    CompletableFuture<CallToolResult> state =
        CompletableFuture.supplyAsync(
            () -> call(client, "wait", Map.of("instance", id, "state", "RUNNING", "seconds", 25)),
            APART);
    approved(id);
    assertThat(good(event.get(30, TimeUnit.SECONDS)).get("reached")).isEqualTo(true);
    good(call(client, "send_event", Map.of("instance", id, "event", "start")));
    assertThat(good(state.get(30, TimeUnit.SECONDS)).get("leaves")).isEqualTo(List.of("RUNNING"));
    assertThat(
            good(call(client, "wait", Map.of("instance", id, "after_sequence", 1))).get("reached"))
        .isEqualTo(true);
  }

  @Test
  void nobody_comes_in_without_a_good_token() throws Exception {
    Map<String, Object> hello = Map.of("jsonrpc", "2.0", "id", 1, "method", "initialize");
    assertThat(served.post("/mcp", null, hello).status()).isEqualTo(401);
    assertThat(served.post("/mcp", "sbx_wrong", hello).status()).isEqualTo(401);
    assertThat(served.get("/mcp", null).status()).isEqualTo(401);
    assertThatThrownBy(unopened("sbx_wrong", "")::initialize).isInstanceOf(Exception.class);
    Served.Answer foreign =
        served.send(
            served
                .request("/mcp")
                .header("Origin", "http://elsewhere.example")
                .POST(HttpRequest.BodyPublishers.ofString("{}")),
            agent);
    assertThat(foreign.status()).isEqualTo(403);
  }

  @Test
  void a_role_forbids_the_same_as_over_the_api() throws Exception {
    McpSyncClient viewer = client(served.token("vic", "viewer"), "");
    refused(call(viewer, "start_instance", Map.of("machine", "deploy")), "forbidden");
    McpSyncClient robin = client(agent, "");
    refused(call(robin, "start_instance", Map.of("machine", "token")), "forbidden");
    assertThatThrownBy(() -> call(robin, "publish", Map.of())).hasMessageContaining("tool");
    String id = started(robin, "deploy");
    refused(call(viewer, "send_event", Map.of("instance", id, "event", "start")), "forbidden");
    assertThat(names(client(served.token("vera", "viewer"), "?instance=" + id).listTools().tools()))
        .containsExactly("signalbox_read", "signalbox_wait");

    String parcels =
        served
            .server
            .tokens()
            .create(
                new Tokens.Order("pat", List.of("agent"), List.of("parcel"), Duration.ofDays(1)),
                Server.owner("owner"))
            .secret();
    McpSyncClient pat = client(parcels, "");
    assertThat(good(call(pat, "list_machines", Map.of())).toString()).doesNotContain("deploy");
    refused(call(pat, "read_instance", Map.of("instance", id)), "forbidden");
    assertThatThrownBy(unopened(parcels, "?instance=" + id)::initialize)
        .isInstanceOf(Exception.class);
  }

  @Test
  void a_token_for_one_instance_gives_connections_for_it_alone() throws Exception {
    McpSyncClient robin = client(agent, "");
    String mine = started(robin, "deploy");
    String other = started(robin, "deploy");
    String bound =
        served
            .server
            .tokens()
            .create(
                new Tokens.Order("lone", List.of("agent"), List.of(), mine, Duration.ofDays(1)),
                Server.owner("owner"))
            .secret();
    McpSyncClient lone = client(bound, "");
    assertThat(names(lone.listTools().tools())).contains("start", "signalbox_read");
    assertThat(good(call(lone, "signalbox_read", Map.of())).toString()).contains(mine);
    assertThatThrownBy(unopened(bound, "?instance=" + other)::initialize)
        .isInstanceOf(Exception.class);
  }

  @Test
  void a_connection_is_of_no_use_to_another_token() throws Exception {
    Served.Answer begun = served.send(message(served, "", "", HELLO), agent);
    assertThat(begun.status()).isEqualTo(200);
    String connection = begun.header("Mcp-Session-Id");
    for (String token : List.of(agent, served.admin)) {
      Served.Answer listed = served.send(message(served, "", connection, LIST), token);
      assertThat(listed.status()).isEqualTo(token.equals(agent) ? 200 : 404);
    }
  }

  @Test
  void what_is_refused_within_an_answer_is_in_the_audit_log() throws Exception {
    McpSyncClient client = client(agent, "");
    assertThat(
            client
                .callTool(
                    CallToolRequest.builder("start_instance")
                        .arguments(Map.of("machine", "token"))
                        .build())
                .isError())
        .isTrue();
    assertThat(served.get("/api/v1/audit?q=start_instance", served.admin).list("lines"))
        .singleElement()
        .satisfies(line -> assertThat(line.toString()).contains("robin", "403", "CALL"));
  }
}
