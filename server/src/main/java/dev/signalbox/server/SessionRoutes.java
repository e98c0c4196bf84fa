package dev.signalbox.server;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;
import static dev.signalbox.services.system.Role.VIEWER;

import dev.signalbox.kernel.Actor;
import dev.signalbox.server.access.Access;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.PersonAccess;
import dev.signalbox.server.access.Sessions;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Routes by which browsers sign in and out, and everybody learns who they are. */
final class SessionRoutes {
  private final Access access;
  private final AuditLog audit;
  private final Authenticator authenticator;
  private final boolean secure;
  private final PersonAccess people;

  SessionRoutes(
      Access access,
      AuditLog audit,
      Authenticator authenticator,
      boolean secure,
      PersonAccess people) {
    this.access = access;
    this.audit = audit;
    this.authenticator = authenticator;
    this.secure = secure;
    this.people = people;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/session", "Who the caller is")
            .anyone()
            .gives(Schema.named("Session"))
            .by(this::show),
        Route.post("/session", "Sign in with the code of a link or with a token")
            .withoutKey()
            .open()
            .takes(Schema.object().maybe("code", Schema.TEXT).maybe("token", Schema.TEXT))
            .gives(
                201,
                "Signed in; the cookie is set, and every request of the session needs csrf_token in"
                    + " X-CSRF-Token",
                Schema.named("OpenedSession"))
            .by(this::signIn),
        Route.post(
                "/session/person",
                "Say who decides: the session is that person's for ten minutes, or until it ends")
            .may(VIEWER, OPERATOR, APPROVER, ADMIN)
            .takes(Schema.object().field("person", Schema.TEXT).field("passphrase", Schema.TEXT))
            .gives(Schema.named("Session"))
            .by(this::prove),
        Route.delete("/session", "Sign out")
            .anyone()
            .gives(204, "Signed out", "", Schema.ANY)
            .by(this::signOut));
  }

  private Response show(Request request) {
    return Response.json(view(request.caller()));
  }

  private Response signIn(Request request) throws IOException {
    String from = request.from();
    Fields body = request.fields().only("code", "token");
    String code = body.textOrNull("code");
    String token = body.textOrNull("token");
    Sessions.Credential credential =
        code != null
            ? access.links().use(code)
            : token != null ? access.credential(token.strip()) : null;
    Sessions.Fresh fresh =
        credential == null
            ? null
            : authenticator.lookUp(
                token == null ? "" : token.strip(), from, () -> access.sessions().open(credential));
    if (fresh == null) {
      authenticator.wrong(from);
      throw ProblemException.of(
          401,
          "unauthenticated",
          "Expected a code or a token that is good, but found none.",
          "A link can be used once and for an hour; 'signalbox token link' makes another.");
    }
    Caller caller = fresh.session().caller();
    audit.note("sign-in", caller.name(), from, "POST", "/api/v1/session", 201, "");
    Map<String, @Nullable Object> view = view(caller);
    view.put("csrf_token", fresh.page());
    return Response.created("/", view).with("Set-Cookie", cookie(fresh.secret(), ""));
  }

  /** The passphrase was said; who says it is noted, right or wrong. */
  private Response prove(Request request) throws IOException {
    HttpRequest http = (HttpRequest) request;
    Fields body = request.fields().only("person", "passphrase");
    String secret = authenticator.cookie(http.context().req());
    if (secret == null || request.header("Authorization") != null) {
      throw ProblemException.badRequest(
          "Expected a session, but the caller has a token. Sign in with it first.");
    }
    String name = body.text("person");
    PersonAccess.Proved proved = people.prove(request.caller(), name, body.text("passphrase"));
    Sessions.Session session =
        access.sessions().prove(secret, proved) ? access.sessions().find(secret) : null;
    if (session == null) {
      throw ProblemException.of(
          401, "unauthenticated", "Expected a session, but it has ended.", "Sign in again.");
    }
    audit.note(
        "person",
        session.caller().name(),
        request.from(),
        "POST",
        "/api/v1/session/person",
        200,
        "");
    return Response.json(view(session.caller()));
  }

  private Response signOut(Request request) {
    HttpRequest http = (HttpRequest) request;
    String secret = authenticator.cookie(http.context().req());
    if (secret != null) {
      access.sessions().close(secret);
      audit.note(
          "sign-out",
          request.caller().name(),
          request.from(),
          "DELETE",
          "/api/v1/session",
          204,
          "");
    }
    return Response.nothing().with("Set-Cookie", cookie("", "; Max-Age=0"));
  }

  private String cookie(String secret, String more) {
    return access.cookieName()
        + "="
        + secret
        + "; Path=/; HttpOnly; SameSite=Strict"
        + (secure ? "; Secure" : "")
        + more;
  }

  private Map<String, @Nullable Object> view(Caller caller) {
    Map<String, @Nullable Object> view = new LinkedHashMap<>();
    view.put("name", caller.name());
    view.put("kind", caller.kind().name().toLowerCase(Locale.ROOT));
    view.put("roles", caller.roles());
    view.put("machines", List.copyOf(caller.machines()));
    view.put("instance", caller.instance());
    Decider decider = caller.decider();
    Person known = people.people().called(caller.name());
    view.put("person", known == null ? null : known.name());
    view.put("passphrase_needed", decider == null && caller.kind() == Actor.Kind.USER);
    return view;
  }
}
