package dev.signalbox.journal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Stands between a client and a server on this machine, and breaks a connection when told to. */
final class Relay implements AutoCloseable {
  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final int server;
  private final AtomicReference<@Nullable Break> next = new AtomicReference<>();

  /**
   * A connection that is to break.
   *
   * @param words what the client says when it breaks
   * @param heard whether the server hears and does it; only its answer is lost then
   */
  private record Break(String words, boolean heard) {}

  Relay(int server) throws IOException {
    this.server = server;
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Lets the next such command be done and its answer be lost. */
  void loseAnswerTo(String words) {
    next.set(new Break(words, true));
  }

  /** Lets the next such command never come to the server. */
  void loseCommand(String words) {
    next.set(new Break(words, false));
  }

  /** Whether what it was told to break is still to come. */
  boolean isWaiting() {
    return next.get() != null;
  }

  private void accept() {
    try {
      while (true) {
        Link link = new Link(door.accept(), new Socket(door.getInetAddress(), server));
        Thread.ofVirtual().start(link::bring);
        Thread.ofVirtual().start(link::answer);
      }
    } catch (IOException e) {
      // The door is closed.
    }
  }

  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean losing;

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void bring() {
      byte[] buffer = new byte[1 << 20];
      try (client;
          server) {
        for (int n = read(client, buffer); n > 0; n = read(client, buffer)) {
          Break due = next.get();
          if (due != null
              && new String(buffer, 0, n, StandardCharsets.ISO_8859_1).contains(due.words())) {
            next.set(null);
            if (!due.heard()) {
              return;
            }
            losing = true;
          }
          server.getOutputStream().write(buffer, 0, n);
        }
      } catch (IOException e) {
        // One of the two is gone, and the other goes with it.
      }
    }

    void answer() {
      byte[] buffer = new byte[1 << 20];
      try (client;
          server) {
        for (int n = read(server, buffer); n > 0 && !losing; n = read(server, buffer)) {
          client.getOutputStream().write(Arrays.copyOf(buffer, n));
        }
      } catch (IOException e) {
        // One of the two is gone, and the other goes with it.
      }
    }

    private static int read(Socket from, byte[] buffer) throws IOException {
      return from.getInputStream().read(buffer);
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
  }
}
