package dev.signalbox.server;

import dev.signalbox.server.access.AuditLog;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how long a request may take to come in. Jetty gives up on silence alone, so whoever sends
 * a byte now and then could hold a connection for ever.
 *
 * <pre>
 *   connected ──▶ first byte ──▶ head whole ──▶ body whole ──▶ answered ──▶ first byte of the next
 *        patience          head          patience                    patience
 * </pre>
 *
 * Between the head and the answer nothing is bounded but the body, so a stream of events lasts as
 * long as its client wants. A body of lines may last too, as long as it keeps coming. Time is
 * Jetty's, as it is for silence.
 */
final class SlowClientWatcher extends AbstractLifeCycle
    implements Connection.Listener, HttpConfiguration.Customizer {
  /** How many bytes a second, on average, must come of a body that may be long. */
  private static final long LEAST_RATE = 16;

  private final long head;
  private final long patience;
  private final ServerConnector connector;
  private final AuditLog audit;
  private final Map<Connection, Waiting> open = new ConcurrentHashMap<>();
  private volatile Scheduler.@Nullable Task next;

  SlowClientWatcher(ServerConnector connector, ServerSettings.Limits limits, AuditLog audit) {
    this.audit = audit;
    this.connector = connector;
    this.head = limits.head().toNanos();
    this.patience = limits.patience().toNanos();
  }

  /** How far a connection is with its next request. */
  private final class Waiting {
    private final Connection connection;
    private int inside;
    private long since = NanoTime.now();
    private long bytes;
    private boolean begun;

    Waiting(Connection connection) {
      this.connection = connection;
    }

    synchronized void headCame() {
      inside++;
    }

    synchronized void answered() {
      inside--;
      since = NanoTime.now();
      bytes = connection.getBytesIn();
      begun = false;
    }

    synchronized void look(long now) {
      if (inside > 0) {
        return;
      }
      if (!begun && connection.getBytesIn() > bytes) {
        begun = true;
        since = now;
      }
      // Without a byte of the request it is Jetty's to count the silence; what it cannot see, such
      // as a handshake that drips, is over when both times are.
      if (now - since > (begun ? head : patience + head)) {
        String from =
            connection.getEndPoint().getRemoteSocketAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : "";
        audit.note("refused", "", from, "", "", 408, "too-slow");
        open.remove(connection);
        connection.getEndPoint().close(new TimeoutException("the request does not come"));
      }
    }
  }

  @Override
  protected void doStart() {
    again();
  }

  @Override
  protected void doStop() {
    Scheduler.Task task = next;
    if (task != null) {
      task.cancel();
    }
  }

  private void again() {
    long pause = Math.clamp(head / 4, 1_000_000, 1_000_000_000);
    next = connector.getScheduler().schedule(this::look, pause, TimeUnit.NANOSECONDS);
  }

  private void look() {
    long now = NanoTime.now();
    open.values().forEach(waiting -> waiting.look(now));
    if (isRunning()) {
      again();
    }
  }

  @Override
  public void onOpened(Connection connection) {
    if (!(connection instanceof SslConnection)) {
      open.put(connection, new Waiting(connection));
    }
  }

  @Override
  public void onClosed(Connection connection) {
    open.remove(connection);
  }

  /** Called when the head is whole. */
  @Override
  public Request customize(Request request, HttpFields.Mutable responseHeaders) {
    Waiting waiting = open.get(request.getConnectionMetaData().getConnection());
    if (waiting != null) {
      waiting.headCame();
      Request.addCompletionListener(request, _ -> waiting.answered());
    }
    return new Timed(request);
  }

  /** A request whose body fails when it takes too long to come in. */
  private final class Timed extends Request.Wrapper {
    private final long began = NanoTime.now();
    private final boolean lines;
    private long came;

    Timed(Request request) {
      super(request);
      String type = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
      this.lines = type != null && type.startsWith("application/x-ndjson");
    }

    @Override
    public Content.Chunk read() {
      Content.Chunk chunk = super.read();
      if (chunk == null || chunk.isLast()) {
        return chunk;
      }
      came += chunk.remaining();
      long allowed = lines ? patience + TimeUnit.SECONDS.toNanos(came / LEAST_RATE) : patience;
      if (NanoTime.now() - began <= allowed) {
        return chunk;
      }
      chunk.release();
      TimeoutException late = new TimeoutException("the body does not come");
      super.fail(late);
      return Content.Chunk.from(late);
    }
  }
}
