package dev.signalbox.server.mcp;

import dev.signalbox.services.system.Schema;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.Map;

/** Makes tools as the protocol has them. */
final class Tooling {
  private Tooling() {}

  /** A tool that changes nothing. */
  static McpSchema.Tool looking(String name, String description, Schema input) {
    return tool(name, name, description, input.value(), true);
  }

  static McpSchema.Tool acting(String name, String description, Schema input) {
    return tool(name, name, description, input.value(), false);
  }

  static McpSchema.Tool tool(
      String name, String title, String description, Map<String, Object> input, boolean looking) {
    return McpSchema.Tool.builder(name, input)
        .title(title)
        .description(description)
        .annotations(new McpSchema.ToolAnnotations(title, looking, !looking, looking, false, null))
        .build();
  }
}
