package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;

import dev.signalbox.server.access.Access;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.Tokens;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Routes over tokens and the audit log. */
public final class AccessRoutes {
  private final Access access;
  private final AuditLog audit;

  public AccessRoutes(Access access, AuditLog audit) {
    this.access = access;
    this.audit = audit;
  }

  public List<Route> routes() {
    Schema token = Schema.named("Token");
    return List.of(
        Route.get("/tokens", "Every token, without its secret")
            .may(ADMIN)
            .gives(Schema.object().field("tokens", Schema.listOf(token)))
            .by(_ ->
                Response.json(
                    Map.of(
                        "tokens",
                        access.tokens().list().stream().map(Tokens.Token::asMap).toList()))),
        Route.post("/tokens", "Make a token; its secret is in this answer and nowhere else")
            .withoutKey()
            .may(ADMIN)
            .takes(
                Schema.object()
                    .field("name", Schema.TEXT)
                    .field("roles", Schema.listOf(Schema.TEXT))
                    .maybe("machines", Schema.listOf(Schema.TEXT))
                    .maybe("instance", Schema.TEXT.described("the only one it may use"))
                    .maybe("days", Schema.WHOLE.described("until it ends; 90 if not said")))
            .gives(201, "Made", Schema.object().field("secret", Schema.TEXT).field("token", token))
            .by(this::create),
        Route.post("/tokens/{id}/revoke", "End a token and its sessions")
            .may(ADMIN)
            .gives(token)
            .by(r ->
                Response.json(access.tokens().revoke(r.path("id"), r.caller().actor()).asMap())),
        Route.post(
                "/sign-in-links", "A code that opens one session of the caller's, within an hour")
            .withoutKey()
            .may(ADMIN)
            .gives(201, "Made", Schema.object().field("code", Schema.TEXT))
            .by(this::link),
        Route.get("/audit", "Sign-ins and refused requests, the youngest first")
            .may(ADMIN)
            .query("kind", Schema.oneOf("sign-in", "sign-out", "refused"), "only those")
            .query("who", Schema.TEXT, "only that name's")
            .query("q", Schema.TEXT, "only with that text in the address, the path or the code")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("lines", Schema.listOf(Schema.named("AuditLine"))))
            .by(r ->
                Response.json(
                    Map.of(
                        "lines",
                        audit.newest(
                            (int) r.number("most", 100, 1, AuditLog.MOST),
                            r.query("kind"),
                            r.query("who"),
                            r.query("q"))))));
  }

  private Response create(Request request) throws IOException {
    Fields body = request.fields().only("name", "roles", "machines", "instance", "days");
    Long days = body.numberOrNull("days");
    if (days != null && (days < 1 || days > 3_650)) {
      throw ProblemException.badRequest("Expected 1 to 3650 days, but found another number.");
    }
    Tokens.Order order =
        new Tokens.Order(
            body.text("name"),
            body.texts("roles"),
            body.texts("machines"),
            body.textOrNull("instance"),
            days == null ? Tokens.LIFETIME : Duration.ofDays(days));
    Tokens.Fresh fresh = access.tokens().create(order, request.caller().actor());
    return Response.created(
        "/api/v1/tokens/" + fresh.token().id(),
        Map.of("secret", fresh.secret(), "token", fresh.token().asMap()));
  }

  private Response link(Request request) {
    String header = request.header("Authorization");
    if (header == null) {
      throw ProblemException.badRequest(
          "Expected the token whose session it shall open, but this is a session itself.");
    }
    String code = access.links().fresh(access.credential(header.substring(7).strip()));
    return Response.created("/sign-in", Map.of("code", code));
  }
}
