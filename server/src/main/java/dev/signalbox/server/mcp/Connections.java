package dev.signalbox.server.mcp;

import dev.signalbox.services.system.Caller;
import io.modelcontextprotocol.spec.McpSchema;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open connections: whose each is, and which instance it is for. Any thread may use it. */
final class Connections {
  private static final int MOST = 1_000;
  private static final int MOST_OF_ONE = 100;

  private final Map<String, Connection> open = new ConcurrentHashMap<>();

  /** A connection, and the tools that the client was told of last. */
  static final class Connection {
    final Visitor visitor;
    private volatile @Nullable List<McpSchema.Tool> told;

    Connection(Visitor visitor) {
      this.visitor = visitor;
    }

    /** Whether the client needs not be told of the tools: it never asked, or it has them. */
    boolean knows(List<McpSchema.Tool> tools) {
      List<McpSchema.Tool> known = told;
      return known == null || known.equals(tools);
    }

    void told(List<McpSchema.Tool> tools) {
      told = tools;
    }

    boolean isOf(Caller caller) {
      return visitor.caller().credential().equals(caller.credential());
    }
  }

  boolean hasRoomFor(Caller caller) {
    return open.size() < MOST
        && open.values().stream().filter(c -> c.isOf(caller)).count() < MOST_OF_ONE;
  }

  void add(String id, Visitor visitor) {
    open.put(id, new Connection(visitor));
  }

  void remove(String id) {
    open.remove(id);
  }

  @Nullable Connection find(String id) {
    return open.get(id);
  }

  /** The connections that are for one instance, by their ids. */
  Map<String, Connection> bound() {
    Map<String, Connection> bound = new ConcurrentHashMap<>();
    open.forEach((id, connection) -> {
      if (connection.visitor.instance() != null) {
        bound.put(id, connection);
      }
    });
    return bound;
  }
}
