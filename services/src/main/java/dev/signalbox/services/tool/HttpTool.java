package dev.signalbox.services.tool;

import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.services.evidence.Evidence;
import dev.signalbox.services.evidence.EvidenceException;
import dev.signalbox.services.evidence.EvidenceStore;
import dev.signalbox.services.notification.UrlPolicy;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A tool that is an HTTP call to one of the permitted hosts. Redirects are not followed and cookies
 * not kept; arguments come into the path and the query encoded, and as a JSON body where the method
 * has one. The call's key goes along as {@code Idempotency-Key}. An answer of 2xx is a pass; the
 * evidence is the status, the headers and the body.
 */
public final class HttpTool implements Tool, AutoCloseable {
  private final HttpEndpoint endpoint;
  private final Set<String> hosts;
  private final UrlPolicy policy;
  private final SecretSource secrets;
  private final HttpClient client;

  /**
   * @param hosts those that may be called, by name, or by name and port
   */
  public HttpTool(
      HttpEndpoint endpoint, Set<String> hosts, UrlPolicy policy, SecretSource secrets) {
    this.endpoint = endpoint;
    this.hosts = Set.copyOf(hosts);
    this.policy = policy;
    this.secrets = secrets;
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .version(HttpClient.Version.HTTP_1_1)
            .build();
  }

  @Override
  public Map<String, Object> identity(ToolCall call) {
    address(call);
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("kind", "http");
    identity.putAll(endpoint.identity());
    return identity;
  }

  @Override
  public ToolResult run(ToolCall call, EvidenceStore evidence) throws InterruptedException {
    try {
      Redactor redactor = Redactor.of(secrets, endpoint.secrets());
      CompletableFuture<HttpResponse<byte[]>> answer =
          client.sendAsync(
              request(call, redactor),
              HttpResponse.BodyHandlers.limiting(
                  HttpResponse.BodyHandlers.ofByteArray(), call.limits().outputBytes()));
      try {
        return judged(
            call,
            answer.get(call.limits().time().toMillis(), TimeUnit.MILLISECONDS),
            redactor,
            evidence);
      } catch (TimeoutException e) {
        return ToolResult.fail(
            List.of(),
            "Expected tool '%s' to have an answer within %s, but there was none."
                .formatted(call.name(), call.limits().time()));
      } catch (ExecutionException e) {
        return ToolResult.fail(
            List.of(),
            "Expected tool '%s' to have an answer of at most %,d bytes, but %s."
                .formatted(call.name(), call.limits().outputBytes(), reason(e)));
      } finally {
        answer.cancel(true);
      }
    } catch (IllegalArgumentException | EvidenceException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("The tool was interrupted.");
      }
      return ToolResult.fail(List.of(), String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private HttpRequest request(ToolCall call, Redactor values) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address(call))
            .header("user-agent", "signalbox")
            .header("idempotency-key", call.key());
    endpoint.headers().forEach(request::setHeader);
    endpoint
        .secretHeaders()
        .forEach((name, value) -> {
          Map<String, Object> filled = new LinkedHashMap<>();
          Placeholders.names(value).forEach(secret -> filled.put(secret, values.value(secret)));
          try {
            request.setHeader(name, Placeholders.filled(value, filled, text -> text));
          } catch (IllegalArgumentException e) {
            // The JDK's message holds the value.
            throw new IllegalArgumentException(
                "Expected the header '%s' to have a value that HTTP can carry, but it has another."
                    .formatted(name));
          }
        });
    if (endpoint.hasBody()) {
      request.setHeader("content-type", "application/json");
    }
    return request
        .method(
            endpoint.method(),
            endpoint.hasBody()
                ? HttpRequest.BodyPublishers.ofByteArray(CanonicalJson.bytes(call.arguments()))
                : HttpRequest.BodyPublishers.noBody())
        .build();
  }

  /** The address of a call, which may be called. */
  private URI address(ToolCall call) {
    URI uri =
        policy.checked(
            Placeholders.filled(
                endpoint.url(),
                call.arguments(),
                text -> URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20")));
    String host = uri.getHost().toLowerCase(Locale.ROOT);
    if (!hosts.contains(host) && !hosts.contains(host + ":" + uri.getPort())) {
      throw new IllegalArgumentException(
          "Expected tool '%s' to call a permitted host, but '%s' is none. Permit it, or call another."
              .formatted(call.name(), host));
    }
    return uri;
  }

  private static ToolResult judged(
      ToolCall call, HttpResponse<byte[]> response, Redactor redactor, EvidenceStore store) {
    int status = response.statusCode();
    Map<String, Object> headers = new TreeMap<>();
    response.headers().map().forEach((name, values) -> headers.put(name, List.copyOf(values)));
    List<Evidence> seen = new ArrayList<>();
    seen.add(store.put("status", status + "\n"));
    seen.add(store.put("headers", redactor.clean(CanonicalJson.bytes(headers))));
    seen.add(store.put("body", redactor.clean(response.body())));
    if (status >= 200 && status < 300) {
      return ToolResult.pass(seen, "The server answered %d.".formatted(status));
    }
    return ToolResult.fail(
        seen,
        status >= 300 && status < 400
            ? "The server answered %d to tool '%s', and redirects are not followed."
                .formatted(status, call.name())
            : "The server answered %d to tool '%s'.".formatted(status, call.name()));
  }

  /** Why an exchange failed, without anything that was sent or came back. */
  private static String reason(ExecutionException e) {
    return switch (e.getCause()) {
      case java.net.ConnectException _ -> "the server could not be connected";
      case javax.net.ssl.SSLException _ -> "its certificate or its encryption was refused";
      case IOException _ -> "the connection broke, or there were more";
      case null, default -> "the exchange failed";
    };
  }
}
