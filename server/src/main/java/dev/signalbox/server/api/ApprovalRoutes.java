package dev.signalbox.server.api;

import static dev.signalbox.services.system.Role.ADMIN;
import static dev.signalbox.services.system.Role.AGENT;
import static dev.signalbox.services.system.Role.APPROVER;
import static dev.signalbox.services.system.Role.OPERATOR;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Answer;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.services.approval.Objection;
import dev.signalbox.services.approval.Risk;
import dev.signalbox.services.person.Authentication;
import dev.signalbox.services.person.Decider;
import dev.signalbox.services.person.People;
import dev.signalbox.services.person.Person;
import dev.signalbox.services.system.Caller;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Routes by which anybody asks, and people see what waits for them and answer. An agent has none
 * that answers.
 */
public final class ApprovalRoutes {
  private static final String MACHINE = "approval";

  private final Approvals approvals;
  private final People people;

  public ApprovalRoutes(Signalbox box, People people) {
    this.approvals = Approvals.on(box);
    this.people = people;
  }

  public List<Route> routes() {
    Schema approval = Schema.named("Approval");
    Schema receipt = Schema.named("Receipt");
    return List.of(
        Route.get("/approvals", "What waits for people, the oldest first")
            .anyone()
            .query("mine", Schema.FLAG, "only what the caller may answer")
            .query("subject", Schema.TEXT, "only about that")
            .query("requester", Schema.TEXT, "only what that one asked")
            .query("most", Schema.WHOLE, "how many, at most 1000; 100 if not said")
            .gives(Schema.object().field("approvals", Schema.listOf(approval)))
            .by(this::list),
        Route.post(
                "/approvals", "Ask people for their word on one exact action, in the caller's name")
            .may(OPERATOR, AGENT, ADMIN)
            .keyed("the same key asks once")
            .takes(
                Schema.object()
                    .field("subject", Schema.TEXT)
                    .field("action", Schema.TEXT)
                    .maybe("arguments", Schema.OBJECT)
                    .maybe("identity", Schema.OBJECT)
                    .maybe("risk", Schema.TEXT)
                    .maybe("quorum", Schema.WHOLE)
                    .maybe("roles", Schema.listOf(Schema.TEXT))
                    .maybe("assigned_to", Schema.listOf(Schema.TEXT))
                    .maybe("expires_in_ms", Schema.WHOLE)
                    .maybe("under", Schema.TEXT))
            .gives(201, "It waits for people", approval)
            .by(this::ask),
        Route.get("/approvals/{id}", "A request with the exact action")
            .anyone()
            .gives(approval)
            .by(r -> {
              check(r);
              return Response.json(view(approvals.approval(r.path("id")), r));
            }),
        Route.post("/approvals/{id}/approve", "Say yes to exactly what has the digest")
            .may(APPROVER)
            .takes(Schema.object().field("digest", Schema.TEXT).maybe("condition", Schema.TEXT))
            .gives(receipt)
            .by(this::approve),
        Route.post("/approvals/{id}/reject", "Say no, for everybody")
            .may(APPROVER)
            .takes(Schema.object().field("reason", Schema.TEXT))
            .gives(receipt)
            .by(r -> reasoned(r, PeopleRoutes::decider, Answer.Reject::new)),
        Route.post("/approvals/{id}/escalate", "Hand it upwards, which calls the action off")
            .may(APPROVER, OPERATOR)
            .takes(Schema.object().field("reason", Schema.TEXT))
            .gives(receipt)
            .by(r -> reasoned(r, ApprovalRoutes::anyone, Answer.Escalate::new)),
        Route.post("/approvals/{id}/reassign", "Put it to these people instead")
            .may(APPROVER, OPERATOR)
            .takes(Schema.object().field("to", Schema.listOf(Schema.TEXT)))
            .gives(receipt)
            .by(r -> {
              check(r);
              List<String> to = r.fields().only("to").texts("to");
              return Replies.answer(() -> approvals.reassign(r.path("id"), anyone(r), to));
            }),
        Route.post("/approvals/{id}/delegate", "Give the caller's own say to somebody else")
            .may(APPROVER)
            .takes(Schema.object().field("to", Schema.TEXT))
            .gives(receipt)
            .by(r -> {
              check(r);
              String to = r.fields().only("to").text("to");
              return Replies.answer(
                  () -> approvals.delegate(r.path("id"), PeopleRoutes.decider(r), to));
            }));
  }

  private static void check(Request request) {
    if (!request.caller().mayUse(MACHINE)) {
      throw Rejections.machineForbidden(request.caller(), MACHINE);
    }
  }

  private Response ask(Request request) throws IOException {
    check(request);
    Fields body =
        request
            .fields()
            .only(
                "subject",
                "action",
                "arguments",
                "identity",
                "risk",
                "quorum",
                "roles",
                "assigned_to",
                "expires_in_ms",
                "under");
    String id = Replies.checked(() -> approvals.request(asked(body, request)));
    return Response.created("/api/v1/approvals/" + id, view(approvals.approval(id), request));
  }

  private static dev.signalbox.services.approval.Request asked(Fields body, Request request) {
    Map<String, Object> identity = new LinkedHashMap<>();
    body.object("identity")
        .forEach((name, value) -> {
          if (value == null) {
            throw ProblemException.badRequest(
                "Expected 'identity' to have values, but '%s' has none.".formatted(name));
          }
          identity.put(name, value);
        });
    Action action =
        Action.of(body.text("subject"), body.text("action"), body.object("arguments")).by(identity);
    dev.signalbox.services.approval.Request asked =
        dev.signalbox.services.approval.Request.of(action, Asker.of(request.caller().actor()))
            .roles(body.texts("roles").toArray(String[]::new))
            .assignedTo(body.texts("assigned_to").toArray(String[]::new));
    String risk = body.textOrNull("risk");
    asked = risk == null ? asked : asked.risk(Risk.of(risk));
    Long quorum = body.numberOrNull("quorum");
    asked = quorum == null ? asked : asked.quorum(Math.toIntExact(Math.clamp(quorum, 0, 1_000)));
    Long life = body.numberOrNull("expires_in_ms");
    asked = life == null ? asked : asked.expiresIn(Duration.ofMillis(life));
    String under = body.textOrNull("under");
    asked = under == null ? asked : asked.under(under);
    String key = InstanceRoutes.key(request.header("Idempotency-Key"));
    return key == null ? asked : asked.key(key);
  }

  private Response list(Request request) {
    check(request);
    Inbox inbox = Inbox.ALL.most((int) request.number("most", 100, 1, 1_000));
    if ("true".equals(request.query("mine"))) {
      inbox = inbox.of(mine(request.caller()));
    }
    String subject = request.query("subject");
    String requester = request.query("requester");
    inbox = subject == null ? inbox : inbox.about(subject);
    inbox = requester == null ? inbox : inbox.askedBy(requester);
    return Response.json(
        Map.of("approvals", approvals.pending(inbox).stream().map(a -> view(a, request)).toList()));
  }

  /** Whose the inbox is: the one that decides, or whose name or account it is. */
  private Decider mine(Caller caller) {
    Decider decider = caller.decider();
    Person known = people.called(caller.name());
    return decider != null
        ? decider
        : known != null && caller.kind() == Actor.Kind.USER
            ? people.decider(known)
            : Decider.vouchedFor(caller.actor());
  }

  /**
   * The request, and whether the caller may say yes to it, or why not. Of somebody who has not said
   * the passphrase it is told what would be so then.
   */
  private Map<String, @Nullable Object> view(Approval approval, Request request) {
    Caller caller = request.caller();
    Decider decider = caller.decider();
    Person known =
        decider == null && caller.kind() == Actor.Kind.USER ? people.called(caller.name()) : null;
    boolean needed = decider == null && caller.kind() == Actor.Kind.USER && !people.isEmpty();
    Objection objection =
        decider != null
            ? approval.objection(decider)
            : known != null
                ? approval.objection(people.decider(known))
                : needed && approval.isWaiting() ? null : approval.objection(caller.actor());
    Map<String, @Nullable Object> view = new LinkedHashMap<>(approval.asMap());
    view.put("allowed", objection == null);
    view.put("objection", objection == null ? null : objection.asMap());
    view.put("passphrase_needed", needed);
    return view;
  }

  private Response approve(Request request) throws IOException {
    check(request);
    Fields body = request.fields().only("digest", "condition");
    String digest = body.text("digest");
    String condition = body.textOrNull("condition");
    String id = request.path("id");
    Decider decider = PeopleRoutes.decider(request);
    return Replies.answer(
        () -> approvals.answer(id, decider, new Answer.Approve(digest, condition), null));
  }

  /** Whoever may stop something also does it without a passphrase. */
  private static Decider anyone(Request request) {
    Decider decider = request.caller().decider();
    return decider != null
        ? decider
        : Decider.of(request.caller().actor(), new Authentication.Token());
  }

  private Response reasoned(
      Request request, Function<Request, Decider> who, Function<String, Answer> answer)
      throws IOException {
    check(request);
    String reason = request.fields().only("reason").text("reason");
    Decider decider = who.apply(request);
    return Replies.answer(
        () -> approvals.answer(request.path("id"), decider, answer.apply(reason), null));
  }
}
