package dev.signalbox.services.tool;

import dev.signalbox.services.notification.UrlPolicy;
import dev.signalbox.services.sandbox.Errand;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Connects to MCP servers, for one use each. */
public final class McpConnector {
  private static final Duration FAREWELL = Duration.ofSeconds(5);

  private final Map<String, String> around;
  private final SecretSource secrets;
  private final UrlPolicy policy;
  private final Set<String> hosts;
  private final Confinement confinement;

  /**
   * @param around the variables of which some are handed on to servers that are started
   * @param hosts those that may be called, by name, or by name and port
   * @param confinement where servers are started
   */
  public McpConnector(
      Map<String, String> around,
      SecretSource secrets,
      UrlPolicy policy,
      Set<String> hosts,
      Confinement confinement) {
    this.around = Map.copyOf(around);
    this.secrets = secrets;
    this.policy = policy;
    this.hosts = Set.copyOf(hosts);
    this.confinement = confinement;
  }

  /** What is done with a connection. */
  @FunctionalInterface
  interface Use<T> {
    T with(McpSyncClient client) throws Exception;
  }

  /** What came of it: a value, or why there is none. */
  record Used<T>(@Nullable T value, String why, Redactor redactor) {
    <X extends RuntimeException> T orElseThrow(Function<String, X> exception) {
      if (value == null) {
        throw exception.apply(why);
      }
      return value;
    }

    String clean(String text) {
      return redactor.clean(text);
    }
  }

  void clear(McpServerAddress server, ToolCall call) {
    if (server instanceof McpServerAddress.Stdio(Program program)) {
      ProcessTree.end(ProcessTree.mark(call), program.grace());
    }
  }

  /**
   * Connects, uses the connection and ends it, within the call's time.
   *
   * @throws IllegalArgumentException when the server may not be called or a secret is not there
   */
  <T> Used<T> use(McpServerAddress server, ToolCall call, Use<T> use) throws InterruptedException {
    clear(server, call);
    Redactor redactor = Redactor.of(secrets, needed(server));
    CompletableFuture<T> done = new CompletableFuture<>();
    McpClientTransport transport =
        transport(server, call, redactor, e -> done.completeExceptionally(e));
    Thread thread =
        Thread.ofVirtual()
            .name("mcp")
            .start(() -> {
              try (McpSyncClient client = client(transport, call)) {
                client.initialize();
                done.complete(use.with(client));
              } catch (Throwable e) {
                done.completeExceptionally(e);
              }
            });
    try {
      return new Used<>(
          done.get(call.limits().time().toMillis(), TimeUnit.MILLISECONDS), "", redactor);
    } catch (TimeoutException e) {
      return new Used<>(
          null,
          "Expected the MCP server to answer within %s, but it did not."
              .formatted(call.limits().time()),
          redactor);
    } catch (ExecutionException e) {
      // What the server says may hold anything; only what we say ourselves is told.
      return new Used<>(
          null,
          e.getCause() instanceof RefusedException ours
              ? String.valueOf(ours.getMessage())
              : "Expected the MCP server to do the call, but it refused or the connection broke.",
          redactor);
    } finally {
      end(server, call, transport, thread);
    }
  }

  private void end(
      McpServerAddress server, ToolCall call, McpClientTransport transport, Thread thread) {
    boolean interrupted = Thread.interrupted();
    try {
      thread.interrupt();
      transport.closeGracefully().onErrorComplete().block(FAREWELL);
      clear(server, call);
      boolean _ = thread.join(FAREWELL);
    } catch (IllegalStateException e) {
      // It did not say goodbye in time; its processes are ended all the same.
      clear(server, call);
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static McpSyncClient client(McpClientTransport transport, ToolCall call) {
    return McpClient.sync(transport)
        .clientInfo(McpSchema.Implementation.builder("signalbox", "1").build())
        .initializationTimeout(call.limits().time())
        .requestTimeout(call.limits().time())
        .build();
  }

  /**
   * @param broken is told when a server can't be started; whoever waits for its first word is not
   */
  private McpClientTransport transport(
      McpServerAddress server, ToolCall call, Redactor values, Consumer<RefusedException> broken) {
    int most = Math.toIntExact(call.limits().outputBytes()) + (1 << 16);
    return switch (server) {
      case McpServerAddress.Stdio(Program program) ->
          new StartedServer(
              confinement
                  .sandbox()
                  .prepared(
                      new Errand(
                          program.command(),
                          program.surroundings(around, values),
                          program.variables(),
                          confinement.reach(call),
                          null)),
              ProcessTree.mark(call),
              most,
              how ->
                  broken.accept(
                      new RefusedException(
                          "Expected to start the MCP server '%s' in '%s', but it %s. See that the folder and the program are there, and that the program may be executed."
                              .formatted(program.command().getFirst(), call.folder(), how))));
      case McpServerAddress.Http(URI url, Map<String, String> secretHeaders) -> {
        permitted(url);
        yield HttpClientStreamableHttpTransport.builder(url.toString())
            .endpoint(url.getRawPath() + (url.getRawQuery() == null ? "" : "?" + url.getRawQuery()))
            .clientBuilder(
                HttpClient.newBuilder()
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .version(HttpClient.Version.HTTP_1_1))
            .connectTimeout(call.limits().time())
            .maxResponseSize(most)
            .openConnectionOnStartup(false)
            .addHttpRequestCustomizer((request, _, _, _, _) ->
                secretHeaders.forEach((name, value) -> {
                  Map<String, Object> filled = new LinkedHashMap<>();
                  Placeholders.names(value)
                      .forEach(secret -> filled.put(secret, values.value(secret)));
                  request.setHeader(name, Placeholders.filled(value, filled, text -> text));
                }))
            .build();
      }
    };
  }

  private void permitted(URI url) {
    policy.checked(url.toString());
    String host = url.getHost().toLowerCase(Locale.ROOT);
    if (!hosts.contains(host) && !hosts.contains(host + ":" + url.getPort())) {
      throw new IllegalArgumentException(
          "Expected an MCP server on a permitted host, but '%s' is none. Permit it, or take another."
              .formatted(host));
    }
  }

  private static List<String> needed(McpServerAddress server) {
    return switch (server) {
      case McpServerAddress.Stdio(Program program) -> List.copyOf(program.secrets().values());
      case McpServerAddress.Http(URI _, Map<String, String> secretHeaders) ->
          secretHeaders.values().stream()
              .flatMap(value -> Placeholders.names(value).stream())
              .toList();
    };
  }
}
