package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;
import static dev.signalbox.services.system.Role.VIEWER;

import dev.signalbox.runtime.Why;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.Enrolment;
import dev.signalbox.services.person.EnrolmentException;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Routes over the people who decide. The first is enrolled by an admin, all others by people. */
public final class PeopleRoutes {
  private final People people;
  private final AuditLog audit;

  public PeopleRoutes(People people, AuditLog audit) {
    this.people = people;
    this.audit = audit;
  }

  public List<Route> routes() {
    Schema person = Schema.named("Person");
    return List.of(
        Route.get("/people", "Those who decide")
            .may(VIEWER, OPERATOR, APPROVER, ADMIN)
            .gives(Schema.object().field("people", Schema.listOf(person)))
            .by(r -> {
              Replies.checkUnrestricted(r);
              return Response.json(
                  Map.of("people", people.all().stream().map(Person::asMap).toList()));
            }),
        Route.post(
                "/people",
                "Enrol the first person; or another, where the session is a person's who said the"
                    + " passphrase")
            .may(ADMIN)
            .takes(
                Schema.object()
                    .field("name", Schema.TEXT)
                    .field("passphrase", Schema.TEXT)
                    .maybe("roles", Schema.listOf(Schema.TEXT))
                    .maybe("accounts", Schema.listOf(Schema.TEXT))
                    .maybe("self_approval", Schema.oneOf("refused", "allowed")))
            .gives(201, "Enrolled", person)
            .by(this::enrol),
        Route.post("/people/{id}/remove", "Let somebody decide no more")
            .may(ADMIN, APPROVER)
            .gives(204, "Removed", "", Schema.ANY)
            .by(r -> {
              Person person1 = found(r);
              checked(() -> {
                people.remove(person1.name(), decider(r));
                return person1;
              });
              return done(r, "person removed");
            }),
        Route.post("/people/{id}/passphrase", "Take another passphrase, one's own")
            .may(ADMIN, APPROVER)
            .takes(Schema.object().field("passphrase", Schema.TEXT))
            .gives(204, "Changed", "", Schema.ANY)
            .by(this::change),
        Route.post("/people/{id}/self-approval", "Whether a sole person approves their own")
            .may(ADMIN, APPROVER)
            .takes(Schema.object().field("self_approval", Schema.oneOf("refused", "allowed")))
            .gives(204, "Changed", "", Schema.ANY)
            .by(r -> {
              Decider own = own(r);
              boolean allowed = isAllowed(r.fields().only("self_approval"));
              checked(() -> {
                people.allowOwn(own, allowed);
                return own;
              });
              return done(r, "self-approval " + (allowed ? "allowed" : "refused"));
            }));
  }

  private Response enrol(Request request) throws IOException {
    Replies.checkUnrestricted(request);
    Fields body = request.fields().only("name", "passphrase", "roles", "accounts", "self_approval");
    boolean first = people.isEmpty();
    List<String> said = body.texts("roles");
    Enrolment enrolment =
        new Enrolment(
            body.text("name"),
            said.isEmpty() ? (first ? Enrolment.FIRST : Enrolment.OTHERS) : said,
            Set.copyOf(body.texts("accounts")),
            isAllowed(body),
            request.caller().name());
    char[] passphrase = body.text("passphrase").toCharArray();
    try {
      Person person =
          checked(() ->
              first
                  ? people.enrolFirst(enrolment, passphrase)
                  : people.enrol(enrolment, passphrase, decider(request)));
      note(request, "person enrolled");
      return Response.created("/api/v1/people/" + person.id(), person.asMap());
    } finally {
      Arrays.fill(passphrase, '\0');
    }
  }

  private static boolean isAllowed(Fields body) {
    String word = body.textOrNull("self_approval");
    if (word != null && !Set.of("refused", "allowed").contains(word)) {
      throw ProblemException.badRequest(
          "Expected 'self_approval' to be refused or allowed, but found another.");
    }
    return "allowed".equals(word);
  }

  private Response change(Request request) throws IOException {
    Decider own = own(request);
    char[] passphrase = request.fields().only("passphrase").text("passphrase").toCharArray();
    checked(() -> {
      people.change(own, passphrase);
      return own;
    });
    Arrays.fill(passphrase, '\0');
    return done(request, "passphrase changed");
  }

  private Person found(Request request) {
    Person person = people.person(request.path("id"));
    if (person == null) {
      throw ProblemException.notFound("Expected a person who is enrolled, but there is none.");
    }
    return person;
  }

  /** The caller, whose own the path is. */
  private Decider own(Request request) {
    Person person = found(request);
    Decider decider = decider(request);
    if (!person.name().equals(decider.actor().name())) {
      throw ProblemException.forbidden(
          "Expected to change oneself, but it is somebody else.", "Let that person do it.");
    }
    return decider;
  }

  /**
   * As whom the caller decides.
   *
   * @throws ProblemException when no person is there
   */
  static Decider decider(Request request) {
    Decider decider = request.caller().decider();
    if (decider == null) {
      throw ProblemException.of(
          403,
          "passphrase-needed",
          "Expected a person who said the passphrase, but '%s' did not, or too long ago."
              .formatted(request.caller().name()),
          "Say it: POST /api/v1/session/person in a session, or 'signalbox approve' at a"
              + " terminal.");
    }
    return decider;
  }

  private static <T> T checked(Supplier<T> work) {
    try {
      return work.get();
    } catch (EnrolmentException e) {
      throw ProblemException.of(409, "not-enrolled", Why.of(e), "");
    }
  }

  private Response done(Request request, String what) {
    note(request, what);
    return Response.nothing();
  }

  private void note(Request request, String what) {
    audit.note(what, request.caller().name(), request.from(), "POST", "/api/v1/people", 200, "");
  }
}
