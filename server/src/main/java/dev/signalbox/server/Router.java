package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.CallerTrace;
import dev.signalbox.server.access.KeyedRequests;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Hands requests to the routes of the table, after asking whether the caller may use them. */
final class Router {
  static final String API = "/api/v1";

  private static final int LONGEST_KEY = 200;

  private static final String INSTANCE = "/instances/{id}";

  /** Routes that look by themselves at which instance a caller is for. */
  private static final Set<String> FOR_ALL =
      Set.of("/session", "/stream", "/events", "/openapi.json");

  private static final Logger LOG = Logger.getLogger(Router.class.getName());

  private final List<Route> table;
  private final Gate gate;
  private final KeyedRequests keyed;
  private final Pages pages;
  private final ServerSettings settings;
  private final InstantSource clock;

  Router(
      List<Route> table,
      Gate gate,
      KeyedRequests keyed,
      Pages pages,
      ServerSettings settings,
      InstantSource clock) {
    this.table = table;
    this.keyed = keyed;
    this.gate = gate;
    this.pages = pages;
    this.settings = settings;
    this.clock = clock;
  }

  void register(RoutesConfig routes) {
    for (Route route : table) {
      routes.addHttpHandler(
          HandlerType.findOrCreate(route.method()), API + route.path(), c -> serve(route, c));
    }
    routes.get("/", c -> page(c));
    routes.get("/<file>", c -> page(c));
    routes.exception(HttpResponseException.class, (e, c) -> fail(c, e));
    routes.exception(Exception.class, (e, c) -> fail(c, e));
  }

  private void serve(Route route, Context context) throws IOException {
    try {
      HttpRequest request = new HttpRequest(context, gate, route.isOpen(), settings, clock);
      if (!route.isOpen()) {
        permit(route, request.caller());
        confine(route, request);
      }
      var _ =
          CallerTrace.of(request.header(Request.TRACE))
              .during(() -> {
                Response answer = answer(route, request);
                write(context, answer);
                return answer;
              });
    } catch (RuntimeException e) {
      fail(context, e);
    }
  }

  /** What the route answers; under an idempotency key, once. */
  private Response answer(Route route, HttpRequest request) throws IOException {
    String key = request.header(Route.KEY);
    if (key == null || route.keys() == Route.Keys.NEEDLESS || route.keys() == Route.Keys.OWN) {
      return route.handler().answer(request);
    }
    if (route.keys() == Route.Keys.REFUSED) {
      throw ProblemException.of(
          400,
          "key-not-taken",
          "Expected no %s, but %s %s takes none."
              .formatted(Route.KEY, route.method(), route.path()),
          "Send it without, once; look whether it happened before you send it again.");
    }
    if (key.isEmpty() || key.length() > LONGEST_KEY) {
      throw ProblemException.badRequest(
          "Expected an %s of 1 to %d characters, but found another."
              .formatted(Route.KEY, LONGEST_KEY));
    }
    return keyed.once(
        request.caller(),
        route.method() + " " + request.context().path(),
        key,
        request.wholeBody(),
        Problems::of,
        () -> route.handler().answer(request));
  }

  private static void permit(Route route, Caller caller) {
    if (!caller.hasAny(route.roles())) {
      String roles =
          String.join(", ", route.roles().stream().map(role -> role.word()).sorted().toList());
      throw ProblemException.forbidden(
          "Expected '%s' to have one of the roles %s, but it has %s."
              .formatted(caller.name(), roles, String.join(", ", caller.roles())),
          "Let someone with the role do it.");
    }
  }

  /** Refuses a caller that is for one instance whatever is not about that one. */
  private static void confine(Route route, HttpRequest request) {
    String only = request.caller().instance();
    boolean about = route.path().startsWith(INSTANCE) && request.path("id").equals(only);
    if (only != null && !about && !FOR_ALL.contains(route.path())) {
      throw ProblemException.forbidden(
          "Expected a route of instance '%s', but the token of '%s' is for that one alone."
              .formatted(only, request.caller().name()),
          "Use another token.");
    }
  }

  private void page(Context context) throws IOException {
    String path = context.path();
    if (path.equals("/api") || path.startsWith("/api/")) {
      throw ProblemException.notFound("Expected a route of the API, but there is none.");
    }
    write(context, pages.file(path, context.header("If-None-Match")));
  }

  private static void write(Context context, Response answer) throws IOException {
    HttpServletResponse response = context.res();
    response.setStatus(answer.status());
    answer.headers().forEach(response::setHeader);
    if (!answer.type().isEmpty()) {
      response.setContentType(answer.type());
    }
    switch (answer.body()) {
      case Response.Body.Value(var value) ->
          bytes(response, context, Json.text(value).getBytes(StandardCharsets.UTF_8));
      case Response.Body.Bytes(byte[] bytes) -> bytes(response, context, bytes);
      case Response.Body.Flow(Response.Source source) -> {
        try (OutputStream out = response.getOutputStream()) {
          source.write(out);
        }
      }
      case Response.Body.Nothing() -> {}
    }
  }

  private static void bytes(HttpServletResponse response, Context context, byte[] bytes)
      throws IOException {
    response.setContentLength(bytes.length);
    if (!context.req().getMethod().equals("HEAD")) {
      response.getOutputStream().write(bytes);
    }
  }

  private void fail(Context context, Exception thrown) {
    ProblemException problem =
        thrown instanceof HttpResponseException http
            ? ofJavalin(http)
            : Gate.problem(context.path(), thrown);
    try {
      gate.refuse(context.req(), context.res(), problem);
    } catch (IOException e) {
      // Whoever asked has gone; nobody is left to tell.
      LOG.log(Level.FINE, "The client has gone.", e);
    }
  }

  private static ProblemException ofJavalin(HttpResponseException http) {
    return switch (http.getStatus()) {
      case 404 -> ProblemException.notFound("Expected a route of the API, but there is none.");
      case 405 ->
          ProblemException.of(
              405, "method-not-allowed", "Expected a method of the route, but found another.", "");
      default ->
          ProblemException.of(
              http.getStatus(),
              "bad-request",
              "Expected a request of the API, but found another.",
              "");
    };
  }
}
