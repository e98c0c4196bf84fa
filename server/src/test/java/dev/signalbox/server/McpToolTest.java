package dev.signalbox.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.notification.UrlPolicy;
import dev.signalbox.services.tool.Confinement;
import dev.signalbox.services.tool.McpConnector;
import dev.signalbox.services.tool.McpServerAddress;
import dev.signalbox.services.tool.McpTool;
import dev.signalbox.services.tool.ToolCall;
import dev.signalbox.services.tool.ToolResult;
import dev.signalbox.services.tool.ToolStatus;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tool of an MCP server over Streamable HTTP: the door of another store. */
class McpToolTest {
  @TempDir Path folder;
  @TempDir Path other;

  @Test
  void a_tool_of_another_store_is_called_and_its_secret_stays_here() throws Exception {
    try (Served served = new Served(folder)) {
      served.box.publish(
          MachineReader.read(
              new Source("bell.yaml", "machine: bell\nstates: { QUIET: { waits: for ever } }")));
      String token = served.token("robin", "agent");
      URI url = URI.create(served.server.address()).resolve("/mcp");
      McpTool tool =
          new McpTool(
              new McpServerAddress.Http(url, Map.of("Authorization", "Bearer {door}")),
              "list_machines",
              new McpConnector(
                  Map.of(),
                  _ -> token,
                  UrlPolicy.LOOPBACK_AND_PRIVATE,
                  Set.of(url.getHost()),
                  Confinement.none()));
      ToolCall call = ToolCall.of("k-1", "machines", Map.of(), other);
      EvidenceStore evidence = EvidenceStore.open(other.resolve("evidence"));

      ToolResult result = tool.run(call, evidence);

      assertThat(result.status()).as(result.message()).isEqualTo(ToolStatus.PASS);
      Evidence content = Objects.requireNonNull(result.evidence("structured"));
      assertThat(new String(evidence.bytes(content.sha256()), StandardCharsets.UTF_8))
          .contains("bell");
      assertThat(tool.identity(call).toString()).contains("list_machines").doesNotContain(token);

      McpTool stranger =
          new McpTool(
              new McpServerAddress.Http(url, Map.of("Authorization", "Bearer {door}")),
              "list_machines",
              new McpConnector(
                  Map.of(),
                  _ -> "not-a-token-at-all",
                  UrlPolicy.LOOPBACK_AND_PRIVATE,
                  Set.of(url.getHost()),
                  Confinement.none()));
      ToolResult refused = stranger.run(call, evidence);
      assertThat(refused.status()).isEqualTo(ToolStatus.FAIL);
      assertThat(refused.message()).doesNotContain("not-a-token-at-all");
    }
  }
}
