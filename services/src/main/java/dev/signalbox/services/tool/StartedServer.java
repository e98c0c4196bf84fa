package dev.signalbox.services.tool;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A connection to an MCP server that is started for it: a message a line on its standard input and
 * output. What it says on standard error is thrown away. It is ended by whoever clears the call.
 */
final class StartedServer implements McpClientTransport {
  private final ProcessBuilder builder;
  private final String mark;
  private final int most;
  private final Consumer<String> broken;
  private final McpJsonMapper json = McpJsonDefaults.getMapper();
  private volatile @Nullable Process process;

  /**
   * @param most the bytes of a message
   * @param broken is told when the server can't be started, or does not speak any more
   */
  StartedServer(ProcessBuilder builder, String mark, int most, Consumer<String> broken) {
    this.builder = builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    this.mark = mark;
    this.most = most;
    this.broken = broken;
  }

  @Override
  public Mono<Void> connect(
      Function<Mono<McpSchema.JSONRPCMessage>, Mono<McpSchema.JSONRPCMessage>> handler) {
    return Mono.<Void>fromRunnable(() -> {
      Process started;
      try {
        started = ProcessTree.start(builder, mark).first();
      } catch (IOException e) {
        broken.accept("could not be started");
        throw new IllegalStateException("The server could not be started.", e);
      }
      process = started;
      Thread.ofPlatform().daemon().name("mcp-server").start(() -> hear(started, handler));
    });
  }

  private void hear(
      Process started,
      Function<Mono<McpSchema.JSONRPCMessage>, Mono<McpSchema.JSONRPCMessage>> handler) {
    try (InputStream in = new BufferedInputStream(started.getInputStream())) {
      for (String line = line(in); line != null; line = line(in)) {
        if (!line.isBlank()) {
          handler.apply(Mono.just(McpSchema.deserializeJsonRpcMessage(json, line))).subscribe();
        }
      }
      broken.accept("ended before it had answered");
    } catch (IOException | RuntimeException e) {
      broken.accept("said what is no message, or one that is too long");
    }
  }

  /** The next line, or null at the end. */
  private @Nullable String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
      }
      if (line.size() == most) {
        throw new IOException("too long");
      }
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  @Override
  public Mono<Void> sendMessage(McpSchema.JSONRPCMessage message) {
    return Mono.<Void>fromRunnable(() -> {
      Process started = process;
      if (started == null) {
        throw new IllegalStateException("The server was not started.");
      }
      try {
        byte[] line =
            (json.writeValueAsString(message).replace('\n', ' ') + "\n")
                .getBytes(StandardCharsets.UTF_8);
        OutputStream out = started.getOutputStream();
        synchronized (this) {
          out.write(line);
          out.flush();
        }
      } catch (IOException e) {
        throw new IllegalStateException("The server does not listen.", e);
      }
    });
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.<Void>fromRunnable(() -> {
      Process started = process;
      if (started != null) {
        try {
          started.getOutputStream().close();
        } catch (IOException e) {
          // It does not listen any more.
        }
      }
    });
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return json.convertValue(data, type);
  }
}
