package dev.signalbox.server.mcp;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.server.Problems;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpNotificationHandler;
import io.modelcontextprotocol.server.McpRequestHandler;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.ProtocolVersions;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What is answered to each method of the protocol, whichever transport brings it. */
final class Methods implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(Methods.class.getName());

  private static final List<String> VERSIONS =
      List.of(
          ProtocolVersions.MCP_2025_11_25,
          ProtocolVersions.MCP_2025_06_18,
          ProtocolVersions.MCP_2025_03_26,
          ProtocolVersions.MCP_2024_11_05);

  private static final String INSTRUCTIONS =
      "State machines that govern what you may do. What the current state of an instance does not"
          + " permit is refused: the answer says why and what is permitted instead. Every event and"
          + " every refusal is recorded.";

  private final McpJsonMapper mapper = new MessageMapper(McpJsonDefaults.getMapper());
  private final Toolbox store;
  private final Toolbox instance;
  private final Scheduler scheduler =
      Schedulers.fromExecutorService(Executors.newVirtualThreadPerTaskExecutor());

  private final Noting noting;

  /** Notes what is refused: an answer that HTTP calls good hides it from everybody else. */
  @FunctionalInterface
  interface Noting {
    void note(Visitor visitor, String tool, ProblemException problem);
  }

  Methods(Toolbox store, Toolbox instance, Noting noting) {
    this.store = store;
    this.instance = instance;
    this.noting = noting;
  }

  McpJsonMapper mapper() {
    return mapper;
  }

  Toolbox tools(Visitor visitor) {
    return visitor.instance() == null ? store : instance;
  }

  Mono<McpSchema.InitializeResult> initialize(McpSchema.InitializeRequest request) {
    String version =
        VERSIONS.contains(request.protocolVersion())
            ? request.protocolVersion()
            : VERSIONS.getFirst();
    return Mono.just(
        McpSchema.InitializeResult.builder(
                version,
                McpSchema.ServerCapabilities.builder().tools(true).build(),
                McpSchema.Implementation.builder("signalbox", "0.1.0").build())
            .instructions(INSTRUCTIONS)
            .build());
  }

  /**
   * The handlers of requests.
   *
   * @param visitors who asks in an exchange
   * @param listed told of every list of tools that is given to a connection
   */
  Map<String, McpRequestHandler<?>> requests(
      Function<McpAsyncServerExchange, Visitor> visitors,
      BiConsumer<String, List<McpSchema.Tool>> listed) {
    McpRequestHandler<Object> ping = (_, _) -> Mono.just(Map.of());
    McpRequestHandler<McpSchema.ListToolsResult> list =
        (exchange, _) ->
            later(() -> {
              Visitor visitor = visitors.apply(exchange);
              List<McpSchema.Tool> tools = tools(visitor).list(visitor);
              listed.accept(exchange.sessionId(), tools);
              return McpSchema.ListToolsResult.builder(tools).build();
            });
    McpRequestHandler<McpSchema.CallToolResult> call =
        (exchange, params) -> later(() -> call(visitors.apply(exchange), params));
    return Map.of(
        McpSchema.METHOD_PING, ping,
        McpSchema.METHOD_TOOLS_LIST, list,
        McpSchema.METHOD_TOOLS_CALL, call);
  }

  /** Notifications that clients send; none of them needs an answer. */
  static Map<String, McpNotificationHandler> notifications() {
    McpNotificationHandler nothing = (_, _) -> Mono.empty();
    return Map.of(
        McpSchema.METHOD_NOTIFICATION_INITIALIZED,
        nothing,
        McpSchema.METHOD_NOTIFICATION_PROGRESS,
        nothing,
        McpSchema.METHOD_NOTIFICATION_ROOTS_LIST_CHANGED,
        nothing,
        "notifications/cancelled",
        nothing);
  }

  private <T> Mono<T> later(Callable<T> work) {
    return Mono.fromCallable(work)
        .subscribeOn(scheduler)
        .onErrorMap(e -> !(e instanceof McpError), Methods::error);
  }

  /** What is no result of a tool, as an error of the protocol. */
  private static McpError error(Throwable thrown) {
    ProblemException problem = problem(thrown);
    return McpError.builder(McpSchema.ErrorCodes.INTERNAL_ERROR)
        .message(problem.getMessage())
        .data(Problems.body(problem))
        .build();
  }

  private static ProblemException problem(Throwable thrown) {
    ProblemException problem = Problems.of(thrown);
    if (problem.status() == 500) {
      LOG.log(Level.SEVERE, "Expected to answer an agent, but it failed.", thrown);
    }
    return problem;
  }

  private McpSchema.CallToolResult call(Visitor visitor, @Nullable Object params)
      throws InterruptedException {
    String name = "";
    try {
      Fields fields = Fields.of(read(params));
      name = fields.text("name");
      String tool = name;
      Fields meta = Fields.of(fields.value("_meta"));
      Visitor asking = visitor.traced(meta.value(Request.TRACE));
      return result(
          CallerTrace.of(asking.trace())
              .during(() -> tools(asking).call(asking, tool, fields.value("arguments"), meta)),
          false);
    } catch (Toolbox.UnknownToolException e) {
      noting.note(visitor, name, ProblemException.notFound("There is no such tool."));
      throw McpError.builder(McpSchema.ErrorCodes.INVALID_PARAMS).message(e.getMessage()).build();
    } catch (RuntimeException e) {
      ProblemException problem = problem(e);
      noting.note(visitor, name, problem);
      return result(Problems.body(problem), true);
    }
  }

  /** The parameters as the journal's JSON has values, within its limits. */
  private @Nullable Object read(@Nullable Object params) {
    try {
      return params == null ? null : Json.parse(mapper.writeValueAsString(params));
    } catch (Json.SyntaxException | IOException e) {
      throw ProblemException.badRequest(
          "Expected arguments that can be kept as JSON, but these can't: too deep, or a number too"
              + " large.");
    }
  }

  private static McpSchema.CallToolResult result(
      Map<String, @Nullable Object> view, boolean refused) {
    return McpSchema.CallToolResult.builder()
        .addTextContent(Json.text(view))
        .structuredContent(view)
        .isError(refused)
        .build();
  }

  @Override
  public void close() {
    scheduler.dispose();
  }
}
