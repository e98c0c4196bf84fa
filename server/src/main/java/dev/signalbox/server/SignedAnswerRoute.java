package dev.signalbox.server;

import dev.signalbox.definition.Json;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.server.access.AuditLog;
import dev.signalbox.server.access.SignedApprover;
import dev.signalbox.services.Sha256;
import dev.signalbox.services.approval.Answer;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.notification.Secrets;
import dev.signalbox.services.notification.WebhookSecret;
import dev.signalbox.services.notification.WebhookSignature;
import dev.signalbox.services.notification.WebhookVerifier;
import dev.signalbox.services.system.Fields;
import dev.signalbox.services.system.ProblemException;
import dev.signalbox.services.system.Request;
import dev.signalbox.services.system.Response;
import dev.signalbox.services.system.Route;
import dev.signalbox.services.system.Schema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Takes answers to approvals from signed webhooks, such as a chat's. There is no token: the answer
 * is from whoever has the secret of the approver it names. What is signed holds the message's id
 * and time, so an old one is refused, and one that comes again counts once, on every node and after
 * a restart, because its id is the key of the command.
 */
final class SignedAnswerRoute {
  static final String PATH = "/approvals/answers";

  private final Approvals approvals;
  private final List<SignedApprover> approvers;
  private final Secrets secrets;
  private final AuditLog audit;
  private final InstantSource clock;

  SignedAnswerRoute(
      Signalbox box,
      List<SignedApprover> approvers,
      Secrets secrets,
      AuditLog audit,
      InstantSource clock) {
    this.approvals = Approvals.on(box);
    this.approvers = approvers;
    this.secrets = secrets;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * The one route; none where nobody may answer in this way, so that no door is open for nothing.
   */
  List<Route> routes() {
    if (approvers.isEmpty()) {
      return List.of();
    }
    return List.of(
        Route.post(PATH, "Answer an approval by a webhook that its approver's secret signs")
            .withoutKey()
            .open()
            .header(WebhookSignature.ID, "the message's id; the same one counts once")
            .header(WebhookSignature.TIMESTAMP, "when it was sent, in seconds since 1970")
            .header(WebhookSignature.SIGNATURE, "v1, and the HMAC-SHA-256 of Standard Webhooks")
            .takes(
                Schema.object()
                    .field("approver", Schema.TEXT)
                    .field("approval_id", Schema.TEXT)
                    .field("answer", Schema.oneOf("approve", "reject", "escalate"))
                    .maybe("digest", Schema.TEXT)
                    .maybe("condition", Schema.TEXT)
                    .maybe("reason", Schema.TEXT))
            .gives(
                Schema.object()
                    .field("approval_id", Schema.TEXT)
                    .field("sequence", Schema.WHOLE)
                    .field("states", Schema.listOf(Schema.TEXT)))
            .by(this::answer));
  }

  private Response answer(Request request) throws IOException {
    String text = request.text();
    Fields body = body(text);
    SignedApprover approver = signer(request, body.text("approver"), text);
    String id = body.text("approval_id");
    Answer answer = answer(body);
    String key =
        "webhook " + Sha256.hex(approver.name() + "\n" + request.header(WebhookSignature.ID));
    return switch (approvals.answer(id, approver.decider(), answer, key)) {
      case Reply.Accepted(Receipt receipt) -> {
        audit.note("webhook", approver.name(), "", "POST", PATH, 200, answer.event());
        // In an order of its own: the same answer is the same bytes, after a restart too.
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("approval_id", id);
        told.put("sequence", receipt.sequence());
        told.put("states", receipt.states());
        yield Response.json(told);
      }
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  private static Fields body(String text) {
    try {
      return Fields.of(Json.parse(text))
          .only("approver", "approval_id", "answer", "digest", "condition", "reason");
    } catch (Json.SyntaxException e) {
      throw ProblemException.badRequest("Expected JSON, but the body is none.");
    }
  }

  private static Answer answer(Fields body) {
    try {
      String word = body.text("answer").toLowerCase(Locale.ROOT);
      return switch (word) {
        case "approve" -> new Answer.Approve(body.text("digest"), body.textOrNull("condition"));
        case "reject" -> new Answer.Reject(body.text("reason"));
        case "escalate" -> new Answer.Escalate(body.text("reason"));
        default ->
            throw new IllegalArgumentException(
                "Expected 'answer' to be approve, reject or escalate, but it is another.");
      };
    } catch (IllegalArgumentException e) {
      throw ProblemException.badRequest(String.valueOf(e.getMessage()));
    }
  }

  /** The approver whose secret signed; nobody learns which approvers there are. */
  private SignedApprover signer(Request request, String name, String text) {
    for (SignedApprover approver : approvers) {
      if (approver.name().equals(name)) {
        WebhookVerifier.Verdict verdict =
            new WebhookVerifier(secrets(approver), clock)
                .verify(request::header, text.getBytes(StandardCharsets.UTF_8));
        if (verdict instanceof WebhookVerifier.Verdict.Accepted) {
          return approver;
        }
      }
    }
    throw ProblemException.of(
        401,
        "unauthenticated",
        "Expected a fresh webhook that the approver's secret signed, but it is none.",
        "Sign it as Standard Webhooks says, with the secret of the approver it names.");
  }

  private List<WebhookSecret> secrets(SignedApprover approver) {
    try {
      return secrets.named(approver.secret());
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }
}
