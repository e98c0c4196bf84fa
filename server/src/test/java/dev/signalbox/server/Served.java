package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Proof;
import dev.signalbox.services.system.PackagedSystem;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A real server on a free port over a real file, and a client that calls it. */
final class Served implements AutoCloseable {
  static final String DEPLOY =
      """
      machine: deploy
      context:
        approvals: { type: int, default: 0 }
        service: { type: string, default: "", searchable: true }
      events:
        approve: { roles: [reviewer] }
      states:
        PLANNED:
          after: { 5m: ABORTED }
          on: { approve: { assign: { approvals: ctx.approvals + 1 } }, start: { to: RUNNING, when: ctx.approvals >= 2 } }
        RUNNING:
          after: { 30m: ABORTED }
          on: { succeeded: DONE, failed: ABORTED }
        DONE: { final: true }
        ABORTED: { final: true }
      invariants:
        - { name: two-people-agreed, always: ctx.approvals >= 2, in: RUNNING }
      """;

  /** Nothing happens but what a test asks for. */
  static final ServerSettings SETTINGS =
      ServerSettings.DEFAULT.rates(100_000, 100_000).care(Care.NONE);

  final Signalbox box;
  final Server server;
  final HttpClient client = HttpClient.newHttpClient();
  final String admin;

  Served(Path folder) {
    this(folder, SETTINGS, InstantSource.system(), List.of());
  }

  Served(Path folder, ServerSettings settings, InstantSource clock, List<PackagedSystem> systems) {
    this(
        Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock),
        folder,
        settings,
        clock,
        systems);
  }

  /** With a signalbox that may have another clock or another store. */
  Served(
      Signalbox box,
      Path folder,
      ServerSettings settings,
      InstantSource clock,
      List<PackagedSystem> systems) {
    this.box = box;
    box.publish(MachineReader.read(new Source("deploy.yaml", DEPLOY)));
    server = Server.start(box, systems, settings.at(settings.host(), 0).folder(folder), clock);
    admin = token("ann", "admin", "operator", "reviewer", "viewer");
  }

  private static final String PERSON = "person ";
  static final String PASSPHRASE = "a lantern on a rail";

  /** A session of somebody who is enrolled and said the passphrase, to be used as a token is. */
  String person(String name, String... roles) throws IOException, InterruptedException {
    People people = People.on(box);
    char[] passphrase = PASSPHRASE.toCharArray();
    if (people.isEmpty()) {
      people.enrolFirst(new Enrolment("zoe", Enrolment.FIRST, Set.of(), false, "test"), passphrase);
    }
    Decider zoe = ((Proof.Proved) people.prove("zoe", passphrase, "test")).decider();
    people.enrol(new Enrolment(name, List.of(roles), Set.of(), false, "zoe"), passphrase, zoe);
    String session = session(token("desk " + name, "viewer"));
    Answer said =
        post("/api/v1/session/person", session, Map.of("person", name, "passphrase", PASSPHRASE));
    if (said.status() != 200) {
      throw new AssertionError(said.text());
    }
    return session;
  }

  /** A session that a token opens, to be used as a token is. */
  String session(String token) throws IOException, InterruptedException {
    Answer opened = post("/api/v1/session", null, Map.of("token", token));
    return PERSON
        + opened.header("Set-Cookie").replaceFirst(";.*", "")
        + " "
        + opened.word("csrf_token");
  }

  String token(String name, String... roles) {
    return server
        .tokens()
        .create(
            new Tokens.Order(name, List.of(roles), List.of(), Duration.ofDays(1)),
            Server.owner("owner"))
        .secret();
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(server.address() + path));
  }

  Answer get(String path, @Nullable String token) throws IOException, InterruptedException {
    return send(request(path).GET(), token);
  }

  Answer post(String path, @Nullable String token, @Nullable Object body)
      throws IOException, InterruptedException {
    HttpRequest.BodyPublisher publisher =
        body == null
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(Json.text(body));
    return send(request(path).POST(publisher).header("Content-Type", "application/json"), token);
  }

  Answer send(HttpRequest.Builder builder, @Nullable String token)
      throws IOException, InterruptedException {
    if (token != null && token.startsWith(PERSON)) {
      String[] parts = token.split(" ");
      builder.header("Cookie", parts[1]).header("X-CSRF-Token", parts[2]);
    } else if (token != null) {
      builder.header("Authorization", "Bearer " + token);
    }
    return new Answer(client.send(builder.build(), HttpResponse.BodyHandlers.ofString()));
  }

  /** An answer of the server. */
  record Answer(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String text() {
      return response.body();
    }

    Map<?, ?> json() {
      try {
        return (Map<?, ?>) Objects.requireNonNull(Json.parse(text()));
      } catch (Json.SyntaxException e) {
        throw new AssertionError("Not JSON: " + text(), e);
      }
    }

    /** The value behind the names, which must be there. */
    Object at(String... names) {
      Object value = json();
      for (String name : names) {
        value =
            value instanceof Map<?, ?> map && map.get(name) != null ? map.get(name) : missing(name);
      }
      return Objects.requireNonNull(value);
    }

    private Object missing(String name) {
      throw new AssertionError("No '" + name + "' in " + text());
    }

    List<?> list(String... names) {
      return (List<?>) at(names);
    }

    String word(String... names) {
      return at(names).toString();
    }

    String header(String name) {
      return response.headers().firstValue(name).orElse("");
    }
  }

  @Override
  public void close() {
    client.close();
    server.close();
    box.close();
  }
}
