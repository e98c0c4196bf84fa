package dev.signalbox.services.tool;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tool of an MCP server. Each call is a connection of its own, ended with everything that was
 * started for it. What people approve holds the digest of the tool's schema as a server elsewhere
 * says it; one that has to be started is approved before it says anything. A schema that is another
 * one by the time of the call is refused when the digest was pinned. The evidence is the schema,
 * the content and the structured content of the answer.
 */
public final class McpTool implements Tool {
  private static final int PAGES = 100;

  private final McpServerAddress server;
  private final String tool;
  private final @Nullable String pinned;
  private final McpConnector connector;

  /**
   * @param tool the name that the server has for it
   * @param connector makes the connections
   */
  public McpTool(McpServerAddress server, String tool, McpConnector connector) {
    this(server, tool, null, connector);
  }

  private McpTool(
      McpServerAddress server, String tool, @Nullable String pinned, McpConnector connector) {
    this.server = server;
    this.tool = tool;
    this.pinned = pinned;
    this.connector = connector;
  }

  /** The same tool with exactly that schema; with another one nothing is called. */
  public McpTool pinned(String schemaDigest) {
    return new McpTool(server, tool, schemaDigest, connector);
  }

  @Override
  public Map<String, Object> identity(ToolCall call) throws InterruptedException {
    String schema =
        connector
            .use(server, call, client -> Sha256.hex(schema(client)))
            .orElseThrow(RefusedException::new);
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("kind", "mcp");
    identity.put("tool", tool);
    identity.put("schema", schema);
    identity.put("server", server.identity(call));
    return identity;
  }

  /**
   * A server that would have to be started is not asked for the tool's schema: people approve its
   * program first, and the schema that it tells then is pinned.
   */
  @Override
  public Map<String, Object> described(ToolCall call) throws InterruptedException {
    if (!server.isStarted()) {
      return identity(call);
    }
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("kind", "mcp");
    described.put("tool", tool);
    if (pinned != null) {
      described.put("schema", pinned);
    }
    described.put("server", server.identity(call));
    return described;
  }

  @Override
  public void clear(ToolCall call) {
    connector.clear(server, call);
  }

  /** What a server answered, as JSON texts. */
  private record Answer(
      String schema, String content, @Nullable String structured, boolean error) {}

  @Override
  public ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
    try {
      McpConnector.Used<Answer> used =
          connector.use(
              server,
              call,
              client -> {
                String schema = schema(client);
                String digest = Sha256.hex(schema);
                if (pinned != null && !pinned.equals(digest)) {
                  throw new RefusedException(
                      "Expected tool '%s' to have the schema that was pinned, but the server has another. Ask again."
                          .formatted(tool));
                }
                McpSchema.CallToolResult result =
                    client.callTool(
                        McpSchema.CallToolRequest.builder(tool)
                            .arguments(call.arguments())
                            .build());
                return new Answer(
                    schema,
                    canonical(result.content()),
                    result.structuredContent() == null
                        ? null
                        : canonical(result.structuredContent()),
                    Boolean.TRUE.equals(result.isError()));
              });
      return judged(call, used, evidence);
    } catch (IllegalArgumentException | EvidenceException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("The tool was interrupted.");
      }
      return ToolResult.fail(List.of(), String.valueOf(e.getMessage()));
    }
  }

  private ToolResult judged(ToolCall call, McpConnector.Used<Answer> used, EvidenceStore evidence) {
    Answer answer = used.orElseThrow(RefusedException::new);
    String structured = Objects.requireNonNullElse(answer.structured, "");
    long said = answer.content.length() + (long) structured.length();
    if (said > call.limits().outputBytes()) {
      return ToolResult.fail(
          List.of(),
          "Expected tool '%s' to say at most %,d bytes, but it said more."
              .formatted(call.name(), call.limits().outputBytes()));
    }
    List<Evidence> seen = new ArrayList<>();
    seen.add(evidence.put("schema", answer.schema));
    seen.add(evidence.put("content", used.clean(answer.content)));
    if (answer.structured != null) {
      seen.add(evidence.put("structured", used.clean(structured)));
    }
    return answer.error
        ? ToolResult.fail(seen, "The MCP tool '%s' answered with an error.".formatted(tool))
        : ToolResult.pass(seen, "The MCP tool '%s' answered.".formatted(tool));
  }

  /** The canonical JSON of the tool as the server describes it. */
  private String schema(McpSyncClient client) throws IOException {
    String cursor = null;
    for (int page = 0; page < PAGES; page++) {
      McpSchema.ListToolsResult tools =
          cursor == null ? client.listTools() : client.listTools(cursor);
      for (McpSchema.Tool each : tools.tools()) {
        if (each.name().equals(tool)) {
          return canonical(each);
        }
      }
      cursor = tools.nextCursor();
      if (cursor == null) {
        break;
      }
    }
    throw new RefusedException(
        "Expected the MCP server to have the tool '%s', but it does not name it.".formatted(tool));
  }

  private static String canonical(Object value) throws IOException {
    String text =
        new String(McpJsonDefaults.getMapper().writeValueAsBytes(value), StandardCharsets.UTF_8);
    try {
      return CanonicalJson.text(Json.parse(text));
    } catch (Json.SyntaxException e) {
      throw new IOException("The MCP library wrote no JSON.", e);
    }
  }
}
