package dev.signalbox.server.mcp;

import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.api.Catalog;
import dev.signalbox.server.api.Desk;
import dev.signalbox.services.system.Caller;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpServerSession;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The protocol over standard input and output, for one client, on a store that is ours. */
public final class StdioDoor {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String ONLY = "stdio";

  private StdioDoor() {}

  /**
   * Serves until the input ends.
   *
   * @param instance the only instance to show; null shows all
   * @param audit where calls that are refused are noted
   */
  public static void serve(
      Signalbox box,
      Caller caller,
      @Nullable String instance,
      InputStream in,
      OutputStream out,
      AuditLog audit,
      InstantSource clock)
      throws InterruptedException {
    Desk desk = new Desk(box, new Catalog(box));
    Visitor visitor = new Visitor(caller, instance, "", null);
    if (instance != null) {
      desk.visible(instance, caller);
    }
    Connections connections = new Connections();
    connections.add(ONLY, visitor);
    CountDownLatch ended = new CountDownLatch(1);
    try (Pulse pulse = new Pulse(box.feed());
        Methods methods = methods(desk, pulse, audit, clock)) {
      StdioServerTransportProvider transport =
          new StdioServerTransportProvider(methods.mapper(), in, out);
      transport.setSessionFactory(server ->
          new McpServerSession(
              ONLY,
              PATIENCE,
              server,
              methods::initialize,
              methods.requests(
                  _ -> visitor,
                  (_, tools) -> {
                    Connections.Connection connection = connections.find(ONLY);
                    if (connection != null) {
                      connection.told(tools);
                    }
                  }),
              Methods.notifications(),
              () -> Mono.fromRunnable(ended::countDown)));
      ListChanges.start(
          connections,
          v -> methods.tools(v).list(v),
          _ ->
              Boolean.TRUE.equals(
                  transport
                      .notifyClients(McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED, null)
                      .thenReturn(true)
                      .onErrorReturn(false)
                      .block(PATIENCE)),
          pulse);
      ended.await();
    }
  }

  private static Methods methods(Desk desk, Pulse pulse, AuditLog audit, InstantSource clock) {
    Waiting waiting = new Waiting(desk, pulse, clock);
    return new Methods(
        new StoreTools(desk, waiting),
        new InstanceTools(desk, waiting),
        (visitor, tool, problem) ->
            audit.note(
                "refused",
                visitor.caller().name(),
                ONLY,
                "CALL",
                McpDoor.PATH + " " + tool,
                problem.status(),
                problem.code()));
  }
}
