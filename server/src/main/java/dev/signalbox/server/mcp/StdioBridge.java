package dev.signalbox.server.mcp;

import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Carries the protocol's messages between standard input and output and a server that runs already.
 * It reads none of them: who may do what is the server's to say.
 */
public final class StdioBridge {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final McpJsonMapper mapper = McpJsonDefaults.getMapper();
  private final HttpClientStreamableHttpTransport server;
  private final OutputStream out;

  private StdioBridge(HttpClientStreamableHttpTransport server, OutputStream out) {
    this.server = server;
    this.out = out;
  }

  /**
   * Carries messages until the input ends.
   *
   * @param address as in {@code http://127.0.0.1:7420}
   * @param instance the only instance to show; null shows all
   */
  public static void run(
      String address, String token, @Nullable String instance, InputStream in, OutputStream out)
      throws IOException {
    String query =
        instance == null ? "" : "?instance=" + URLEncoder.encode(instance, StandardCharsets.UTF_8);
    HttpClientStreamableHttpTransport server =
        HttpClientStreamableHttpTransport.builder(address)
            .endpoint(McpDoor.PATH + query)
            .requestBuilder(HttpRequest.newBuilder().header("Authorization", "Bearer " + token))
            .build();
    StdioBridge bridge = new StdioBridge(server, out);
    server.connect(message -> message.doOnNext(bridge::write)).block(PATIENCE);
    try {
      bridge.carry(new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)));
    } finally {
      server.closeGracefully().onErrorComplete().block(PATIENCE);
    }
  }

  private void carry(BufferedReader in) throws IOException {
    String line;
    while ((line = in.readLine()) != null) {
      if (line.isBlank()) {
        continue;
      }
      try {
        send(McpSchema.deserializeJsonRpcMessage(mapper, line));
      } catch (IOException | IllegalArgumentException e) {
        write(
            McpSchema.JSONRPCResponse.error(
                "",
                new McpSchema.JSONRPCResponse.JSONRPCError(
                    McpSchema.ErrorCodes.PARSE_ERROR,
                    "Expected a message of JSON-RPC on one line, but found another text.")));
      }
    }
  }

  /** Sends a message on; the answer comes back when it is there, others need not wait for it. */
  private void send(McpSchema.JSONRPCMessage message) {
    Runnable work =
        () ->
            server
                .sendMessage(message)
                .onErrorResume(e -> {
                  if (message instanceof McpSchema.JSONRPCRequest request) {
                    write(
                        McpSchema.JSONRPCResponse.error(
                            request.id(),
                            new McpSchema.JSONRPCResponse.JSONRPCError(
                                McpSchema.ErrorCodes.INTERNAL_ERROR,
                                "Expected the server to answer, but it did not: "
                                    + e.getMessage())));
                  }
                  return reactor.core.publisher.Mono.empty();
                })
                .block();
    if (message instanceof McpSchema.JSONRPCRequest request
        && !request.method().equals(McpSchema.METHOD_INITIALIZE)) {
      Thread.ofVirtual().name("signalbox-mcp-bridge").start(work);
    } else {
      // What comes after depends on it.
      work.run();
    }
  }

  private synchronized void write(McpSchema.JSONRPCMessage message) {
    try {
      out.write(mapper.writeValueAsString(message).getBytes(StandardCharsets.UTF_8));
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
