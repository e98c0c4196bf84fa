package dev.signalbox.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.zip.GZIPInputStream;

/** A collector of OTLP over HTTP: takes what an exporter sends and reads it as protobuf. */
final class Collector implements AutoCloseable {
  private final HttpServer server;
  private final List<Span> spans = new ArrayList<>();
  private final ByteArrayOutputStream everything = new ByteArrayOutputStream();
  private final AtomicReference<String> service = new AtomicReference<>("");

  Collector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    server.createContext("/v1/traces", this::take);
    server.start();
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
  }

  private void take(HttpExchange exchange) throws IOException {
    InputStream body = exchange.getRequestBody();
    boolean zipped = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
    byte[] bytes = (zipped ? new GZIPInputStream(body) : body).readAllBytes();
    ExportTraceServiceRequest request = ExportTraceServiceRequest.parseFrom(bytes);
    synchronized (this) {
      everything.write(bytes);
      for (ResourceSpans resource : request.getResourceSpansList()) {
        resource.getResource().getAttributesList().stream()
            .filter(attribute -> attribute.getKey().equals("service.name"))
            .forEach(attribute -> service.set(attribute.getValue().getStringValue()));
        for (ScopeSpans scope : resource.getScopeSpansList()) {
          spans.addAll(scope.getSpansList());
        }
      }
      notifyAll();
    }
    byte[] answer = ExportTraceServiceResponse.getDefaultInstance().toByteArray();
    exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
    exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
    exchange.close();
  }

  /** The first span that fits, as soon as it has come. */
  synchronized Span await(Predicate<Span> fits) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      for (Span span : spans) {
        if (fits.test(span)) {
          return span;
        }
      }
      long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("No such span in " + spans);
      }
      wait(left);
    }
  }

  synchronized List<Span> spans() {
    return List.copyOf(spans);
  }

  /** What calls itself so. */
  String service() {
    return service.get();
  }

  /** Every byte that came, as text, so that nothing can hide in a field that nobody looks at. */
  synchronized String everything() {
    return everything.toString(StandardCharsets.ISO_8859_1);
  }

  static String trace(Span span) {
    return HexFormat.of().formatHex(span.getTraceId().toByteArray());
  }

  static String parent(Span span) {
    return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
  }

  static String id(Span span) {
    return HexFormat.of().formatHex(span.getSpanId().toByteArray());
  }

  static String attribute(Span span, String name) {
    return span.getAttributesList().stream()
        .filter(attribute -> attribute.getKey().equals(name))
        .map(KeyValue::getValue)
        .map(value -> value.hasIntValue() ? "" + value.getIntValue() : value.getStringValue())
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
