package dev.signalbox.services.tool;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What an HTTP tool calls.
 *
 * @param url with {@code {name}} as the place of a call's argument, in its path and its query
 * @param headers with their values
 * @param secretHeaders with values in which {@code {name}} is the place of a secret
 */
public record HttpEndpoint(
    String method, String url, Map<String, String> headers, Map<String, String> secretHeaders) {
  private static final List<String> METHODS =
      List.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE");

  /**
   * @throws IllegalArgumentException when the method is another, or the place of an argument is
   *     outside the path and the query
   */
  public HttpEndpoint {
    headers = Map.copyOf(headers);
    secretHeaders = Map.copyOf(secretHeaders);
    if (!METHODS.contains(method)) {
      throw new IllegalArgumentException(
          "Expected a method of %s, but found another.".formatted(String.join(", ", METHODS)));
    }
    int slashes = url.indexOf("://");
    int path = slashes < 0 ? -1 : url.indexOf('/', slashes + 3);
    String front = path < 0 ? url : url.substring(0, path);
    if (slashes < 0 || Placeholders.any(front)) {
      throw new IllegalArgumentException(
          "Expected a whole address with arguments in its path and its query alone, but found"
              + " another.");
    }
    headers.keySet().forEach(HttpEndpoint::header);
    secretHeaders.keySet().forEach(HttpEndpoint::header);
  }

  public static HttpEndpoint get(String url) {
    return new HttpEndpoint("GET", url, Map.of(), Map.of());
  }

  public static HttpEndpoint post(String url) {
    return new HttpEndpoint("POST", url, Map.of(), Map.of());
  }

  /** The same with a header whose value holds secrets, such as {@code Bearer {token}}. */
  public HttpEndpoint withSecret(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(secretHeaders);
    more.put(header, value);
    return new HttpEndpoint(method, url, headers, more);
  }

  boolean hasBody() {
    return List.of("POST", "PUT", "PATCH").contains(method);
  }

  /** The names of the secrets it needs. */
  Set<String> secrets() {
    Set<String> names = new HashSet<>();
    secretHeaders.values().forEach(value -> names.addAll(Placeholders.names(value)));
    return names;
  }

  Map<String, Object> identity() {
    Map<String, Object> identity = new LinkedHashMap<>();
    identity.put("method", method);
    identity.put("url", url);
    identity.put("headers", Map.<String, Object>copyOf(headers));
    identity.put("secret_headers", Map.<String, Object>copyOf(secretHeaders));
    return identity;
  }

  private static void header(String name) {
    if (!name.matches("[A-Za-z0-9-]{1,100}")
        || List.of("host", "content-length", "connection", "idempotency-key")
            .contains(name.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          "Expected a header that a tool may set, but found '%s'.".formatted(name));
    }
  }
}
