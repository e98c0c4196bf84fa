package dev.signalbox.systems.runs;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/** An MCP server over standard input and output with a tool that answers and one that fails. */
public final class SmallMcpServer {
  private SmallMcpServer() {}

  public static void main(String[] args) {
    McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
        .serverInfo("small", "1")
        .capabilities(McpSchema.ServerCapabilities.builder().tools(true).build())
        .tools(tool("echo", false), tool("broken", true))
        .build();
  }

  private static McpServerFeatures.SyncToolSpecification tool(String name, boolean fails) {
    return McpServerFeatures.SyncToolSpecification.builder()
        .tool(
            McpSchema.Tool.builder(
                    name,
                    Map.of(
                        "type", "object", "properties", Map.of("text", Map.of("type", "string"))))
                .description("Says it again.")
                .build())
        .callHandler((_, request) ->
            McpSchema.CallToolResult.builder()
                .addTextContent(String.valueOf(request.arguments().get("text")))
                .isError(fails)
                .build())
        .build();
  }
}
