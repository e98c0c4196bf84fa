package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.ClientAddresses;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.ProblemException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * What Jetty refuses by itself, before any route is asked, as a problem and a line of the audit.
 */
final class ProblemPages extends ErrorHandler {
  private final AuditLog audit;
  private final ClientAddresses addresses;

  ProblemPages(AuditLog audit, ClientAddresses addresses) {
    this.audit = audit;
    this.addresses = addresses;
  }

  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      String message,
      @Nullable Throwable cause,
      Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problems.TYPE);
    response.getHeaders().put("X-Content-Type-Options", "nosniff");
    ProblemException problem = problem(code, cause);
    response.setStatus(problem.status());
    if (problem.status() == 503) {
      response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
    }
    String path = request.getHttpURI().getPath();
    audit.note(
        "refused",
        request.getAttribute(Gate.CALLER) instanceof Caller known ? known.name() : "",
        addresses.of(
            Request.getRemoteAddr(request), request.getHeaders().getValuesList("X-Forwarded-For")),
        request.getMethod(),
        path == null ? "" : path,
        problem.status(),
        problem.code());
    Content.Sink.write(response, true, Json.text(Problems.body(problem)), callback);
  }

  private static ProblemException problem(int status, @Nullable Throwable cause) {
    return switch (status) {
      case 500 ->
          Gate.problem("a request", cause == null ? new IllegalStateException("no cause") : cause);
      case 503 -> Problems.storeUnavailable(false);
      case 408 ->
          ProblemException.of(
              408, "too-slow", "Expected the request within a while, but it takes too long.", "");
      case 413, 414, 431 ->
          ProblemException.of(
              status, "too-large", "Expected a smaller request, but it is too large.", "");
      default ->
          ProblemException.of(
              status,
              status >= 500 ? "internal" : "bad-request",
              "Expected a request as HTTP has it, but found another.",
              "");
    };
  }
}
