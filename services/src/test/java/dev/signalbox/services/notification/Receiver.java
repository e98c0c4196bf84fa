package dev.signalbox.services.notification;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

/** A real receiver of webhooks on the loopback address, which verifies and misbehaves. */
final class Receiver implements AutoCloseable {
  static final int HANG = -1;
  static final int BREAK = -2;
  static final int FLOOD = -3;

  /** It takes the webhook, and the answer is lost. */
  static final int SWALLOW = -4;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CountDownLatch over = new CountDownLatch(1);
  final WebhookVerifier verifier;
  final Map<String, String> accepted = new ConcurrentHashMap<>();
  final Queue<String> replayed = new ConcurrentLinkedQueue<>();
  final Queue<String> refused = new ConcurrentLinkedQueue<>();
  final AtomicInteger requests = new AtomicInteger();
  final Queue<Map<String, List<String>>> headers = new ConcurrentLinkedQueue<>();

  /**
   * @param behaviour the status for each request, or how to misbehave
   */
  Receiver(List<WebhookSecret> secrets, ToIntFunction<Integer> behaviour) throws IOException {
    this.verifier = new WebhookVerifier(secrets, InstantSource.system());
    this.server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    server.createContext("/", exchange -> receive(exchange, behaviour));
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private void receive(HttpExchange exchange, ToIntFunction<Integer> behaviour) throws IOException {
    int count = requests.incrementAndGet();
    byte[] body = exchange.getRequestBody().readAllBytes();
    int status = behaviour.applyAsInt(count);
    if (status == HANG) {
      try {
        over.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      exchange.close();
      return;
    }
    if (status == BREAK || status == SWALLOW) {
      if (status == SWALLOW) {
        keep(exchange, body);
      }
      exchange.close();
      return;
    }
    if (status == FLOOD) {
      exchange.sendResponseHeaders(200, 0);
      byte[] block = new byte[64 * 1024];
      try {
        while (over.getCount() > 0) {
          exchange.getResponseBody().write(block);
        }
      } catch (IOException e) {
        keep(exchange, body);
      }
      exchange.close();
      return;
    }
    if (status == 200) {
      keep(exchange, body);
    }
    if (status >= 300 && status < 400) {
      exchange.getResponseHeaders().add("Location", "/elsewhere");
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private void keep(HttpExchange exchange, byte[] body) {
    headers.add(Map.copyOf(exchange.getRequestHeaders()));
    switch (verifier.verify(exchange.getRequestHeaders()::getFirst, body)) {
      case WebhookVerifier.Verdict.Accepted(String id) ->
          accepted.put(id, new String(body, java.nio.charset.StandardCharsets.UTF_8));
      case WebhookVerifier.Verdict.Replayed(String id) -> replayed.add(id);
      case WebhookVerifier.Verdict.Refused(String reason) -> refused.add(reason);
    }
  }

  @Override
  public void close() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
