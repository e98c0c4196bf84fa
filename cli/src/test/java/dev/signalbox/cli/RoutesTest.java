package dev.signalbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.services.system.Role;
import dev.signalbox.services.system.Route;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets in where, over every route that {@code signalbox up} has, those of the systems too. */
class RoutesTest {
  private static final Path TABLE =
      Path.of(System.getProperty("project.root", ".."), "docs", "routes.md");

  @TempDir static Path folder;
  private static House house;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @BeforeAll
  static void open() {
    house = House.open(folder);
  }

  @AfterAll
  static void close() {
    CLIENT.close();
    if (house != null) {
      house.close();
    }
  }

  private static int status(String method, String path, @Nullable String token) throws Exception {
    boolean bare = method.equals("GET") || method.equals("HEAD") || method.equals("DELETE");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(house.server.address() + path))
            .header("Content-Type", "application/json")
            .method(
                method,
                bare
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString("{}"));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<InputStream> response =
        CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
    // A stream does not end by itself.
    response.body().close();
    return response.statusCode();
  }

  private static String path(Route route) {
    return "/api/v1" + route.path().replaceAll("\\{[a-z0-9_]+}", "nothing");
  }

  private static String roles(Route route) {
    return route.isOpen()
        ? "everybody"
        : route.roles().stream().sorted().map(Role::word).collect(Collectors.joining(", "));
  }

  private static String table() {
    StringBuilder text =
        new StringBuilder(
            """
            # Who gets in where

            Every route of `signalbox up` and the roles that may use it. What a role may do with one instance is also asked of its machine (`roles` of an event), and of the token where it is for some machines or one instance alone.

            | route | roles |
            |---|---|
            """);
    house.server.routes().stream()
        .sorted(Comparator.comparing(Route::path).thenComparing(Route::method))
        .forEach(route ->
            text.append(
                "| `%s %s` | %s |%n".formatted(route.method(), route.path(), roles(route))));
    return text.toString();
  }

  @Test
  void the_docs_say_who_gets_in_where() throws Exception {
    if (Boolean.getBoolean("routes.write")) {
      Files.writeString(TABLE, table());
    }
    assertThat(Files.readString(TABLE))
        .as("Write it anew with -Droutes.write=true, and look at what changed.")
        .isEqualTo(table());
  }

  @Test
  void without_a_token_nothing_is_open_but_health_and_signing_in() throws Exception {
    List<String> open = new ArrayList<>();
    for (Route route : house.server.routes()) {
      int status = status(route.method(), path(route), null);
      if (route.isOpen()) {
        open.add(route.method() + " " + route.path());
      } else {
        assertThat(status).as(route.method() + " " + route.path()).isEqualTo(401);
      }
    }
    assertThat(open).containsExactlyInAnyOrder("GET /health", "POST /session");
    for (String path :
        List.of(
            "/",
            "/index.html",
            "/app.js",
            "/style/base.css",
            "/runs/page.js",
            "/webjars/lit/index.js",
            "/mcp",
            "/mcp/nothing",
            "/mcp?instance=nothing",
            "/api",
            "/api/v1",
            "/api/v1/nothing",
            "/api/v2/health",
            "/api/v1/health/nothing",
            "/nothing")) {
      for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")) {
        assertThat(status(method, path, null)).as(method + " " + path).isEqualTo(401);
      }
    }
    for (String path :
        List.of("/sign-in", "/sign-in/sign-in.js", "/sign-in/sign-in.css", "/sign-in/icon.svg")) {
      assertThat(status("GET", path, null)).as(path).isEqualTo(200);
      assertThat(status("POST", path, null)).as(path).isEqualTo(401);
    }
  }

  @Test
  void each_role_gets_in_where_the_table_says_and_nowhere_else() throws Exception {
    for (Role role : Role.values()) {
      if (role == Role.APPROVER) {
        continue; // No token has it; AccessTest goes round as a person.
      }
      String token = house.token(role.word(), role.word());
      for (Route route : house.server.routes()) {
        if (route.isOpen()) {
          continue;
        }
        int status = status(route.method(), path(route), token);
        assertThat(status == 403)
            .as("%s: %s %s gave %d", role, route.method(), route.path(), status)
            .isEqualTo(!route.roles().contains(role));
      }
    }
  }

  @Test
  void no_agent_approves_publishes_migrates_erases_sweeps_or_makes_tokens() {
    for (Route route : house.server.routes()) {
      String what = route.method() + " " + route.path().toLowerCase(Locale.ROOT);
      if (!route.isSafe()
          && (what.matches(".*/(approve|reject|reassign|delegate|escalate|migrate|migration)")
              || what.matches(".*/(erase|pause|resume|cancel|fork|break|replenish)")
              || what.matches("POST /(machines|tokens|tokens/.*|sign-in-links|sweeps|archives)")
              || what.matches("POST /(subscriptions|dead-letters|budgets).*"))) {
        assertThat(route.roles()).as(what).doesNotContain(Role.AGENT);
      }
      if (what.startsWith("GET /audit") || what.startsWith("GET /tokens")) {
        assertThat(route.roles()).as(what).containsOnly(Role.ADMIN);
      }
    }
  }
}
