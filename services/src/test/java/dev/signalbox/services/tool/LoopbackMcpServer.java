package dev.signalbox.services.tool;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** An MCP server over standard input and output, made with the SDK's own. */
public final class LoopbackMcpServer {
  private LoopbackMcpServer() {}

  public static void main(String[] args) {
    String description = args.length > 0 ? args[0] : "Says it again.";
    McpServer.sync(new StdioServerTransportProvider(McpJsonDefaults.getMapper()))
        .serverInfo("loopback", "1")
        .capabilities(McpSchema.ServerCapabilities.builder().tools(true).build())
        .tools(
            tool("echo", description, arguments -> text(String.valueOf(arguments.get("text")))),
            tool("environment", "Its environment.", _ -> text(System.getenv().toString())),
            tool(
                "broken",
                "Fails.",
                _ -> McpSchema.CallToolResult.builder().addTextContent("no").isError(true).build()),
            tool(
                "hang",
                "Never answers, and starts a process.",
                _ -> {
                  try {
                    Process child = new ProcessBuilder("sleep", "1000").start();
                    Files.writeString(
                        Path.of("pids"), child.pid() + "\n" + ProcessHandle.current().pid() + "\n");
                    Files.writeString(Path.of("ready"), "ready");
                    new CountDownLatch(1).await();
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                  return text("never");
                }))
        .build();
  }

  private interface Answer {
    McpSchema.CallToolResult to(Map<String, Object> arguments);
  }

  private static McpServerFeatures.SyncToolSpecification tool(
      String name, String description, Answer answer) {
    return McpServerFeatures.SyncToolSpecification.builder()
        .tool(
            McpSchema.Tool.builder(
                    name,
                    Map.of(
                        "type", "object", "properties", Map.of("text", Map.of("type", "string"))))
                .description(description)
                .build())
        .callHandler((_, request) -> answer.to(request.arguments()))
        .build();
  }

  private static McpSchema.CallToolResult text(String text) {
    return McpSchema.CallToolResult.builder()
        .content(List.of(McpSchema.TextContent.builder(text).build()))
        .build();
  }
}
