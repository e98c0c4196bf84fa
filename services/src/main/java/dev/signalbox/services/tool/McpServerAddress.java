package dev.signalbox.services.tool;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where an MCP server is. */
public sealed interface McpServerAddress {
  /** A program that speaks MCP on its standard input and output; it is started for each call. */
  record Stdio(Program program) implements McpServerAddress {
    /**
     * @throws IllegalArgumentException when its command has places for arguments
     */
    public Stdio {
      if (program.command().stream().anyMatch(Placeholders::any)) {
        throw new IllegalArgumentException(
            "Expected the command of an MCP server to be the same for each call, but it has places"
                + " for arguments.");
      }
    }
  }

  /**
   * A server that speaks Streamable HTTP.
   *
   * @param secretHeaders with values in which {@code {name}} is the place of a secret
   */
  record Http(URI url, Map<String, String> secretHeaders) implements McpServerAddress {
    public Http {
      secretHeaders = Map.copyOf(secretHeaders);
    }
  }

  /** Whether it is started for each call. */
  default boolean isStarted() {
    return this instanceof Stdio;
  }

  /** What it is, without secrets. */
  default Map<String, Object> identity(ToolCall call) {
    Map<String, Object> identity = new LinkedHashMap<>();
    switch (this) {
      case Stdio(Program program) -> {
        identity.put("transport", "stdio");
        identity.putAll(program.identity(call.folder()));
      }
      case Http(URI url, Map<String, String> secretHeaders) -> {
        identity.put("transport", "http");
        identity.put("url", url.toString());
        identity.put("secret_headers", Map.<String, Object>copyOf(secretHeaders));
      }
    }
    return identity;
  }
}
