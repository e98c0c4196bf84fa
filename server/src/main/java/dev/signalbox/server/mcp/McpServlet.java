package dev.signalbox.server.mcp;

import dev.signalbox.server.Problems;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import io.modelcontextprotocol.spec.HttpHeaders;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;

/**
 * Asks whose connection a request is for before the protocol's own servlet sees it. The gate has
 * let the caller in already.
 */
final class McpServlet extends HttpServlet {
  /** Who asks in the request that the thread serves. */
  static final ScopedValue<Visitor> VISITOR = ScopedValue.newInstance();

  private static final Set<String> METHODS = Set.of("GET", "POST", "DELETE");

  private final HttpServlet transport;
  private final Connections connections;
  private final Desk desk;
  private final McpDoor.Outside outside;

  McpServlet(HttpServlet transport, Connections connections, Desk desk, McpDoor.Outside outside) {
    this.transport = transport;
    this.connections = connections;
    this.desk = desk;
    this.outside = outside;
  }

  @Override
  public void init(ServletConfig config) throws ServletException {
    super.init(config);
    transport.init(config);
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    Visitor visitor;
    try {
      visitor = visitor(request);
    } catch (RuntimeException e) {
      outside.refuse(request, response, Problems.of(e));
      return;
    }
    try {
      ScopedValue.where(VISITOR, visitor)
          .call(() -> {
            transport.service(request, response);
            return visitor;
          });
    } catch (ServletException | IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new ServletException(e);
    }
  }

  private Visitor visitor(HttpServletRequest request) {
    if (!METHODS.contains(request.getMethod())) {
      throw ProblemException.of(
          405, "method-not-allowed", "Expected GET, POST or DELETE, but found another.", "");
    }
    Caller caller = outside.caller(request);
    String trace = request.getHeader(Request.TRACE);
    String id = request.getHeader(HttpHeaders.MCP_SESSION_ID);
    if (id != null) {
      Connections.Connection connection = connections.find(id);
      if (connection == null || !connection.isOf(caller)) {
        throw ProblemException.of(
            404,
            "unknown-connection",
            "Expected a connection of the caller's, but there is no such one.",
            "Begin a new one with initialize.");
      }
      return new Visitor(caller, connection.visitor.instance(), outside.from(request), trace);
    }
    if (!connections.hasRoomFor(caller)) {
      throw ProblemException.of(
          503, "too-many-connections", "Expected a new connection, but too many are open.", "");
    }
    String asked = request.getParameter("instance");
    String instance = asked == null ? caller.instance() : asked;
    if (instance != null) {
      desk.visible(instance, caller);
    }
    return new Visitor(caller, instance, outside.from(request), trace);
  }
}
