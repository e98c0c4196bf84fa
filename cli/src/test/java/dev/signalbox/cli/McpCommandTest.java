package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.LocalToken;
import dev.signalbox.server.Server;
import dev.signalbox.server.ServerSettings;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The real command, driven by the protocol's own client over its input and output. */
class McpCommandTest {
  private static final String LAMP =
      """
      machine: lamp
      states:
        OFF: { waits: for a hand, on: { light: ON } }
        ON: { waits: for a hand, on: { burn_out: GONE } }
        GONE: { final: true }
      """;

  @TempDir Path data;
  private final BlockingQueue<List<Tool>> changes = new LinkedBlockingQueue<>();

  private McpSyncClient client(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "mcp",
                "--data",
                data.toString()));
    arguments.addAll(List.of(more));
    McpSyncClient client =
        McpClient.sync(
                new StdioClientTransport(
                    ServerParameters.builder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString())
                        .args(arguments)
                        .build(),
                    McpJsonDefaults.getMapper()))
            .requestTimeout(Duration.ofSeconds(60))
            .initializationTimeout(Duration.ofSeconds(120))
            .toolsChangeConsumer(changes::add)
            .build();
    client.initialize();
    return client;
  }

  private Signalbox open() {
    InstantSource clock = InstantSource.system();
    Signalbox box =
        Signalbox.open(
            SqliteJournal.open(data.resolve("signalbox.db"), clock), Settings.DEFAULT, clock);
    box.publish(MachineReader.read(new Source("lamp.yaml", LAMP)));
    return box;
  }

  private static CallToolResult call(
      McpSyncClient client, String tool, Map<String, Object> arguments) {
    return client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
  }

  private void drive(McpSyncClient client) throws InterruptedException {
    assertThat(client.listTools().tools().stream().map(Tool::name))
        .containsExactly("light", "signalbox_read", "signalbox_wait");
    CallToolResult refused = call(client, "burn_out", Map.of());
    assertThat(refused.isError()).isTrue();
    assertThat(String.valueOf(refused.structuredContent())).contains("code=no-transition");
    assertThat(call(client, "light", Map.of()).isError()).isFalse();
    List<Tool> lit = changes.poll(60, TimeUnit.SECONDS);
    assertThat(lit).isNotNull();
    assertThat(lit.getFirst().name()).isEqualTo("burn_out");
    assertThat(call(client, "burn_out", Map.of()).isError()).isFalse();
    assertThat(String.valueOf(call(client, "signalbox_read", Map.of()).structuredContent()))
        .contains("status=ended");
  }

  @Test
  void it_opens_the_store_where_no_server_has_it() throws Exception {
    String id;
    try (Signalbox box = open()) {
      id = box.start("lamp", Map.of()).id();
    }
    try (McpSyncClient client = client("--instance", id)) {
      drive(client);
    }
  }

  @Test
  void it_goes_through_the_server_that_has_the_store() throws Exception {
    InstantSource clock = InstantSource.system();
    try (Signalbox box = open();
        Server server =
            Server.start(
                box, List.of(), ServerSettings.DEFAULT.at("127.0.0.1", 0).folder(data), clock)) {
      ((SqliteJournal) box.journal()).announce(server.address());
      LocalToken.agentIn(data, server.tokens(), "ann");
      String id = box.start("lamp", Map.of()).id();
      try (McpSyncClient client = client("--instance", id)) {
        drive(client);
      }
      assertThat(box.instance(id).status()).isEqualTo("ended");
    }
  }
}
