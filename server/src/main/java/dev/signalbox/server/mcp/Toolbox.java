package dev.signalbox.server.mcp;

import dev.signalbox.services.system.Fields;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tools as a visitor sees them. */
interface Toolbox {

  /** The tools that are there for the visitor now. */
  List<McpSchema.Tool> list(Visitor visitor);

  /**
   * Uses a tool.
   *
   * @param arguments of the call, as they came; null when there are none
   * @param meta what came beside the arguments
   * @return what the tool answers; a refusal is thrown
   * @throws UnknownToolException when there is no such tool
   */
  Map<String, @Nullable Object> call(
      Visitor visitor, String name, @Nullable Object arguments, Fields meta)
      throws InterruptedException;

  /** There is no tool of the name. */
  final class UnknownToolException extends RuntimeException {
    UnknownToolException() {
      super("Expected a tool of the list, but there is none of that name.", null, false, false);
    }
  }
}
