package dev.signalbox.server.mcp;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.api.Catalog;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.DefaultMcpStreamableServerSessionFactory;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import reactor.core.publisher.Mono;

/** The protocol over Streamable HTTP, as a servlet behind the gate. */
public final class McpDoor implements AutoCloseable {
  public static final String PATH = "/mcp";

  /** More often than Jetty gives up on a silent connection. */
  private static final Duration PING = Duration.ofSeconds(15);

  /** A connection without a stream that is silent for so long is forgotten. */
  private static final Duration SWEEP = Duration.ofMinutes(10);

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String WHO = "visitor";

  /** Silent, because it tells whatever strangers send as its own errors; ours are told by us. */
  private static final Logger CHATTY = Logger.getLogger("io.modelcontextprotocol");

  private final Connections connections = new Connections();
  private final Pulse pulse;
  private final Methods methods;
  private final HttpServletStreamableServerTransportProvider transport;
  private final HttpServlet servlet;

  /** What the server knows of a request, and what it does with one that is refused. */
  public interface Outside {
    Caller caller(HttpServletRequest request);

    /** Notes a call that was refused within an answer that is none. */
    void note(Caller caller, String from, String tool, ProblemException problem);

    /** The address of whoever asks. */
    String from(HttpServletRequest request);

    void refuse(HttpServletRequest request, HttpServletResponse response, ProblemException problem)
        throws IOException;
  }

  /**
   * @param bodyBytes the largest message
   */
  public McpDoor(
      Signalbox box, Catalog catalog, Outside outside, int bodyBytes, InstantSource clock) {
    CHATTY.setLevel(Level.OFF);
    Desk desk = new Desk(box, catalog);
    this.pulse = new Pulse(box.feed());
    Waiting waiting = new Waiting(desk, pulse, clock);
    this.methods =
        new Methods(
            new StoreTools(desk, waiting),
            new InstanceTools(desk, waiting),
            (visitor, tool, problem) ->
                outside.note(visitor.caller(), visitor.from(), tool, problem));
    this.transport =
        HttpServletStreamableServerTransportProvider.builder()
            .jsonMapper(methods.mapper())
            .mcpEndpoint(PATH)
            .maxRequestSize(bodyBytes)
            .keepAliveInterval(PING)
            .sessionSweepInterval(SWEEP)
            .contextExtractor(
                _ -> McpTransportContext.create(Map.of(WHO, McpServlet.VISITOR.get())))
            .build();
    transport.setSessionFactory(this::begin);
    ListChanges.start(
        connections, visitor -> methods.tools(visitor).list(visitor), this::tell, pulse);
    this.servlet = new McpServlet(transport, connections, desk, outside);
  }

  /** Serves {@link #PATH}. */
  public HttpServlet servlet() {
    return servlet;
  }

  private McpStreamableServerSession.McpStreamableServerSessionInit begin(
      McpSchema.InitializeRequest request) {
    var begun =
        new DefaultMcpStreamableServerSessionFactory(
                PATIENCE,
                methods::initialize,
                methods.requests(
                    exchange ->
                        (Visitor) Objects.requireNonNull(exchange.transportContext().get(WHO)),
                    this::listed),
                Methods.notifications(),
                id -> Mono.fromRunnable(() -> connections.remove(id)))
            .startSession(request);
    connections.add(begun.session().getId(), McpServlet.VISITOR.get());
    return begun;
  }

  private void listed(String id, List<McpSchema.Tool> tools) {
    Connections.Connection connection = connections.find(id);
    if (connection != null) {
      connection.told(tools);
    }
  }

  private boolean tell(String id) {
    return Boolean.TRUE.equals(
        transport
            .notifyClient(id, McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED, null)
            .thenReturn(true)
            .onErrorReturn(false)
            .block(PATIENCE));
  }

  /** Lets those who wait go, so that every call ends soon. */
  public void release() {
    pulse.close();
  }

  /** Ends every connection. */
  @Override
  public void close() {
    release();
    transport.closeGracefully().onErrorComplete().block(PATIENCE);
    methods.close();
  }
}
