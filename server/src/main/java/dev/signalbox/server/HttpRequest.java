package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;

/** A request as Javalin has it. */
final class HttpRequest implements Request {
  private static final Caller NOBODY =
      new Caller(
          dev.signalbox.kernel.Actor.Kind.USER, "", java.util.List.of(), java.util.Set.of(), "");

  /** The largest body of a request that needs no credential. */
  private static final int OPEN_BYTES = 64 * 1024;

  private final Context context;
  private final Gate gate;
  private final int most;
  private byte @Nullable [] body;
  private final ServerSettings settings;
  private final InstantSource clock;

  /**
   * @param open whether anybody may have sent it
   */
  HttpRequest(
      Context context, Gate gate, boolean open, ServerSettings settings, InstantSource clock) {
    this.context = context;
    this.gate = gate;
    this.most = open ? OPEN_BYTES : settings.limits().bodyBytes();
    this.settings = settings;
    this.clock = clock;
  }

  @Override
  public Caller caller() {
    Object caller = context.req().getAttribute(Gate.CALLER);
    return caller instanceof Caller known ? known : NOBODY;
  }

  @Override
  public String from() {
    return gate.from(context.req());
  }

  @Override
  public boolean isStillGood() {
    return context.req().getAttribute(Gate.GOOD) instanceof BooleanSupplier good
        && good.getAsBoolean();
  }

  Context context() {
    return context;
  }

  @Override
  public String path(String name) {
    return context.pathParam(name);
  }

  @Override
  public @Nullable String query(String name) {
    return context.queryParam(name);
  }

  @Override
  public Map<String, String> queries(String prefix) {
    Map<String, String> found = new LinkedHashMap<>();
    context
        .queryParamMap()
        .forEach((name, values) -> {
          if (name.startsWith(prefix) && !values.isEmpty()) {
            found.put(name.substring(prefix.length()), values.getFirst());
          }
        });
    return found;
  }

  @Override
  public @Nullable String header(String name) {
    return context.header(name);
  }

  @Override
  public @Nullable Object json() {
    String text = text();
    if (text.isBlank()) {
      return null;
    }
    String type = context.contentType();
    if (type == null || !type.split(";")[0].strip().equalsIgnoreCase("application/json")) {
      throw ProblemException.of(
          415,
          "unsupported-type",
          "Expected a body of type application/json, but found another.",
          "");
    }
    try {
      return Json.parse(text);
    } catch (Json.SyntaxException e) {
      throw ProblemException.badRequest(
          "Expected JSON, but the body is none, at line %d, column %d."
              .formatted(e.place().line(), e.place().column()));
    }
  }

  @Override
  public String text() {
    byte[] bytes = bytes();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw ProblemException.badRequest("Expected text in UTF-8, but the body is not.");
    }
  }

  /** The whole body, which can be read again. */
  byte[] wholeBody() {
    return bytes();
  }

  /** The whole body; one that is broken or does not come is the client's mistake. */
  private byte[] bytes() {
    byte[] known = body;
    if (known != null) {
      return known;
    }
    try {
      byte[] read = read();
      body = read;
      return read;
    } catch (IOException e) {
      throw isTimeout(e) ? tooSlow() : broken();
    } catch (HttpException.RuntimeException e) {
      throw broken();
    }
  }

  private static boolean isTimeout(@Nullable Throwable thrown) {
    return thrown != null && (thrown instanceof TimeoutException || isTimeout(thrown.getCause()));
  }

  private static ProblemException tooSlow() {
    return ProblemException.of(
        408, "too-slow", "Expected the body within a while, but it takes too long.", "");
  }

  private static ProblemException broken() {
    return ProblemException.badRequest("Expected a whole body as HTTP has it, but it is broken.");
  }

  private byte[] read() throws IOException {
    long deadline = clock.millis() + settings.limits().patience().toMillis();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    byte[] buffer = new byte[8_192];
    InputStream in = stream();
    int count;
    while ((count = in.read(buffer)) >= 0) {
      body.write(buffer, 0, count);
      if (body.size() > most) {
        throw ProblemException.of(
            413,
            "too-large",
            "Expected a body of at most %,d bytes, but it has more.".formatted(most),
            "Send less, or a reference instead.");
      }
      if (clock.millis() > deadline) {
        throw tooSlow();
      }
    }
    return body.toByteArray();
  }

  @Override
  public InputStream stream() throws IOException {
    return context.req().getInputStream();
  }
}
