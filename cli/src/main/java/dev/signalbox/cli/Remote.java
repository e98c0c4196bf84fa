package dev.signalbox.cli;

import dev.signalbox.definition.Json;
import dev.signalbox.runtime.Why;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A server that is up, and the token or the session with which the command line calls it. */
final class Remote implements AutoCloseable {
  private final String address;
  private final Map<String, String> credential;
  private static final String JSON = "application/json";

  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

  Remote(String address, String token) {
    this(address, Map.of("Authorization", "Bearer " + token));
  }

  private Remote(String address, Map<String, String> credential) {
    this.address = address;
    this.credential = credential;
  }

  /**
   * The same server, called by a person: a session in which the passphrase is said, which ends when
   * this is closed.
   *
   * @return null when it is wrong
   */
  @Nullable Remote asPerson(String name, char[] passphrase) {
    String token = credential.getOrDefault("Authorization", "").replaceFirst("Bearer ", "");
    HttpResponse<String> opened =
        sent("POST", "/session", Map.of(), Json.text(Map.of("token", token)), JSON);
    Map<?, ?> session = answer(opened);
    String cookie = opened.headers().firstValue("Set-Cookie").orElse("").replaceFirst(";.*", "");
    Remote person =
        new Remote(
            address,
            Map.of("Cookie", cookie, "X-CSRF-Token", String.valueOf(session.get("csrf_token"))));
    try {
      person.post("/session/person", Map.of("person", name, "passphrase", new String(passphrase)));
      return person;
    } catch (Refused e) {
      person.close();
      if (e.code().equals("wrong-passphrase")) {
        return null;
      }
      throw e;
    }
  }

  String address() {
    return address;
  }

  /** Whether a server answers there. */
  static boolean isUp(String address) {
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(address + "/api/v1/health"))
              .timeout(Duration.ofSeconds(5))
              .build();
      return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() > 0;
    } catch (IOException | IllegalArgumentException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What the server says no with. */
  static final class Refused extends RuntimeException {
    private final transient Map<?, ?> problem;

    Refused(Map<?, ?> problem) {
      super(String.valueOf(problem.get("detail")));
      this.problem = problem;
    }

    String code() {
      return String.valueOf(problem.get("code"));
    }

    /** The problems of a definition that was refused. */
    List<?> problems() {
      return problem.get("problems") instanceof List<?> list ? list : List.of();
    }
  }

  Map<?, ?> get(String path) {
    return call("GET", path, Map.of(), null, "");
  }

  Map<?, ?> post(String path, @Nullable Object body) {
    return post(path, Map.of(), body);
  }

  Map<?, ?> post(String path, Map<String, String> headers, @Nullable Object body) {
    return call("POST", path, headers, body == null ? "" : Json.text(body), JSON);
  }

  Map<?, ?> postText(String path, String text) {
    return call("POST", path, Map.of(), text, "text/plain");
  }

  private Map<?, ?> call(
      String method, String path, Map<String, String> headers, @Nullable String body, String type) {
    return answer(sent(method, path, headers, body, type));
  }

  private HttpResponse<String> sent(
      String method, String path, Map<String, String> headers, @Nullable String body, String type) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address + "/api/v1" + path))
            .timeout(Duration.ofMinutes(2))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }
    credential.forEach(request::header);
    headers.forEach(request::header);
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new CommandFailure(
          "Expected an answer of the server at %s, but there is none: %s."
              .formatted(address, Why.of(e)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("Interrupted.");
    }
  }

  private Map<?, ?> answer(HttpResponse<String> response) {
    Map<?, ?> answer;
    try {
      answer =
          response.body().isEmpty()
              ? Map.of()
              : (Map<?, ?>) Objects.requireNonNullElse(Json.parse(response.body()), Map.of());
    } catch (Json.SyntaxException | ClassCastException e) {
      throw new CommandFailure(
          "Expected an answer of a Signalbox server at %s, but found another (status %d)."
              .formatted(address, response.statusCode()));
    }
    if (response.statusCode() >= 400) {
      throw new Refused(answer);
    }
    return answer;
  }

  /**
   * Gives the lines of a stream as they come, until it ends or no more are wanted.
   *
   * @param more takes a line, and says whether another is wanted
   * @return whether more would have been wanted
   */
  boolean follow(String path, Predicate<String> more) {
    HttpRequest request =
        credentials(HttpRequest.newBuilder(URI.create(address + "/api/v1" + path))).build();
    try {
      HttpResponse<InputStream> response =
          client.send(request, HttpResponse.BodyHandlers.ofInputStream());
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
        if (response.statusCode() >= 400) {
          String problem = lines.readAllAsString();
          throw new Refused((Map<?, ?>) Objects.requireNonNull(Json.parse(problem)));
        }
        String line = lines.readLine();
        while (line != null && more.test(line)) {
          line = lines.readLine();
        }
        return line == null;
      }
    } catch (IOException e) {
      // The server has gone; whoever follows looks again.
      return true;
    } catch (Json.SyntaxException e) {
      throw new CommandFailure(
          "Expected an answer of a Signalbox server at %s, but found another.".formatted(address));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private HttpRequest.Builder credentials(HttpRequest.Builder request) {
    credential.forEach(request::header);
    return request;
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public void close() {
    if (credential.containsKey("Cookie")) {
      try {
        sent("DELETE", "/session", Map.of(), null, "");
      } catch (CommandFailure e) {
        // The session ends by itself; what was done with it is done.
      }
    }
    client.close();
  }
}
