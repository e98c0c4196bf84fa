package dev.signalbox.bench.server;

import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.Server;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Many open streams while commands flow: every stream must be told every entry, and the heap must
 * not grow.
 */
final class StreamLoad {
  private static final byte[] MARK = "\nevent: entry\n".getBytes(StandardCharsets.UTF_8);

  private static final byte[] CONNECTED = ": connected\n".getBytes(StandardCharsets.UTF_8);

  /** How much larger the heap may be at the end. */
  private static final double MOST_GROWTH = 0.10;

  private final Signalbox box;
  private final Server server;
  private final String token;
  private final int streams;
  private final int perSecond;
  private final LongAdder told = new LongAdder();
  private final AtomicLong serial = new AtomicLong();
  private final List<Socket> sockets = new ArrayList<>();

  StreamLoad(Signalbox box, Server server, String token, int streams, int perSecond) {
    this.box = box;
    this.server = server;
    this.token = token;
    this.streams = streams;
    this.perSecond = perSecond;
  }

  Map<String, Object> run(Duration time) throws IOException, InterruptedException {
    CountDownLatch connected = new CountDownLatch(streams);
    for (int i = 0; i < streams; i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
      sockets.add(socket);
      socket
          .getOutputStream()
          .write(
              ("GET /api/v1/stream?machine=lamp HTTP/1.1\r\n"
                      + "Host: 127.0.0.1\r\n"
                      + "Authorization: Bearer "
                      + token
                      + "\r\n\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      Thread.ofVirtual().start(() -> listen(socket, connected));
    }
    if (!connected.await(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "Expected %,d streams, but %,d did not connect."
              .formatted(streams, connected.getCount()));
    }
    long sent = flow(Duration.ofSeconds(10));
    long before = heap();
    long begin = System.nanoTime();
    sent += flow(time);
    double seconds = (System.nanoTime() - begin) / 1e9;
    long expected = sent * streams;
    for (int i = 0; i < 600 && told.sum() < expected; i++) {
      Thread.sleep(50);
    }
    long after = heap();
    for (Socket socket : sockets) {
      socket.close();
    }
    System.out.printf(
        "%,d streams for %.0f s: %,d entries told of %,d expected; heap after collection %.1f MB,"
            + " then %.1f MB (%+.1f%%)%n",
        streams,
        seconds,
        told.sum(),
        expected,
        before / 1e6,
        after / 1e6,
        100.0 * (after - before) / before);
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("streams", streams);
    figures.put("stream_seconds", Math.round(seconds));
    figures.put("entries_told", told.sum());
    figures.put("entries_expected", expected);
    double growth = 1.0 * (after - before) / before;
    figures.put("heap_before", before);
    figures.put("heap_after", after);
    figures.put("heap_growth", Math.round(1_000 * growth) / 1_000.0);
    figures.put("every_stream_was_told_everything", told.sum() == expected);
    figures.put("heap_within_a_tenth", growth <= MOST_GROWTH);
    return figures;
  }

  private void listen(Socket socket, CountDownLatch connected) {
    try (InputStream in = new BufferedInputStream(socket.getInputStream(), 2_048)) {
      int comment = 0;
      int matched = 0;
      int b;
      while ((b = in.read()) >= 0) {
        if (comment < CONNECTED.length) {
          comment = b == CONNECTED[comment] ? comment + 1 : b == CONNECTED[0] ? 1 : 0;
          if (comment == CONNECTED.length) {
            connected.countDown();
          }
        } else if (b == MARK[matched]) {
          matched++;
          if (matched == MARK.length) {
            told.increment();
            matched = 0;
          }
        } else {
          matched = b == MARK[0] ? 1 : 0;
        }
      }
    } catch (IOException e) {
      // The bench closes the sockets when it is done.
    }
  }

  /** Commands at a steady rate, and how many there were. */
  private long flow(Duration time) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    long sent = 0;
    while (System.nanoTime() < end) {
      Reply reply =
          box.submit(
              Command.Send.of("lamp-" + serial.getAndIncrement() % 1_000, "press", null)
                  .by(Server.owner("bench")));
      if (reply instanceof Reply.Rejected(var rejection)) {
        throw new IllegalStateException(rejection.message());
      }
      sent++;
      Thread.sleep(1_000 / perSecond);
    }
    return sent;
  }

  private static long heap() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(200);
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
