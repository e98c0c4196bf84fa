package dev.signalbox.services.system;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a route answers.
 *
 * @param headers besides the type
 */
public record Response(int status, String type, Map<String, String> headers, Body body) {
  public static final String JSON = "application/json";

  public Response {
    headers = Map.copyOf(headers);
  }

  /** What is in the answer. */
  public sealed interface Body {
    /** A value of JSON: null, Boolean, number, String, List or Map; the server writes it. */
    record Value(@Nullable Object value) implements Body {}

    /** Bytes as they are. */
    record Bytes(byte[] bytes) implements Body {}

    /** Written while it is sent. */
    record Flow(Source source) implements Body {}

    /** No body. */
    record Nothing() implements Body {}
  }

  /** Writes a body while it is sent; an IOException means that the client has gone. */
  @FunctionalInterface
  public interface Source {
    void write(OutputStream out) throws IOException;
  }

  public static Response json(@Nullable Object value) {
    return new Response(200, JSON, Map.of(), new Body.Value(value));
  }

  public static Response created(String location, @Nullable Object value) {
    return new Response(201, JSON, Map.of("Location", location), new Body.Value(value));
  }

  public static Response nothing() {
    return new Response(204, "", Map.of(), new Body.Nothing());
  }

  public static Response text(String type, String text) {
    return bytes(type + "; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  public static Response bytes(String type, byte[] bytes) {
    return new Response(200, type, Map.of(), new Body.Bytes(bytes));
  }

  public static Response flow(String type, Source source) {
    return new Response(200, type, Map.of(), new Body.Flow(source));
  }

  public Response with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Response(status, type, more, body);
  }

  public Response status(int other) {
    return new Response(other, type, headers, body);
  }
}
