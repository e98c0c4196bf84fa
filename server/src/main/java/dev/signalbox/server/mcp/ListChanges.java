package dev.signalbox.server.mcp;

import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells connections with one instance when their tools are not those any more that they were told
 * of. A connection that can't be told now is told later, as long as it is open.
 */
final class ListChanges {
  private static final Logger LOG = Logger.getLogger(ListChanges.class.getName());
  private static final long LOOK_MS = 1_000;

  private final Connections connections;
  private final Function<Visitor, List<McpSchema.Tool>> tools;
  private final Teller teller;
  private final Pulse pulse;

  /** Tells a connection that its list of tools has changed. */
  @FunctionalInterface
  interface Teller {
    /** Whether it could be told. */
    boolean tell(String connection);
  }

  private ListChanges(
      Connections connections,
      Function<Visitor, List<McpSchema.Tool>> tools,
      Teller teller,
      Pulse pulse) {
    this.connections = connections;
    this.tools = tools;
    this.teller = teller;
    this.pulse = pulse;
  }

  /**
   * Begins to tell, until the pulse is closed.
   *
   * @param tools those of a visitor now
   */
  static void start(
      Connections connections,
      Function<Visitor, List<McpSchema.Tool>> tools,
      Teller teller,
      Pulse pulse) {
    ListChanges changes = new ListChanges(connections, tools, teller, pulse);
    Thread.ofVirtual().name("signalbox-mcp-changes").start(changes::watch);
  }

  private void watch() {
    try {
      long seen = pulse.beats();
      while (pulse.awaitAfter(seen, LOOK_MS)) {
        seen = pulse.beats();
        connections.bound().forEach(this::look);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void look(String id, Connections.Connection connection) {
    try {
      List<McpSchema.Tool> now = tools.apply(connection.visitor);
      if (!connection.knows(now) && teller.tell(id)) {
        connection.told(now);
      }
    } catch (RuntimeException e) {
      // The store is away for a moment, or the instance for ever; whoever calls is told so.
      LOG.log(Level.FINE, "Expected to tell of changed tools, but it failed.", e);
    }
  }
}
