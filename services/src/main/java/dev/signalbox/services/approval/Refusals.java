package dev.signalbox.services.approval;

import dev.signalbox.kernel.Rejection;
import java.util.List;

/** Why a claim gets nothing, in words for who claims. */
final class Refusals {
  private Refusals() {}

  static Claim.Rejected mismatch(Approval approval) {
    return no(
        Claim.Reason.MISMATCH,
        approval,
        "it is for %s with the digest %s, and this is another action. It is aborted; ask anew"
            .formatted(approval.action().name(), approval.digest()));
  }

  /** It is not decided, or it stands still. */
  static Claim.Rejected early(Approval approval, String status) {
    return status.equals("live")
        ? undecided(approval)
        : no(Claim.Reason.NOT_NOW, approval, "it is %s. Resume it".formatted(status));
  }

  private static Claim.Rejected undecided(Approval approval) {
    return no(
        Claim.Reason.UNDECIDED,
        approval,
        "%d of %d have approved it. Wait for the rest"
            .formatted(approval.approvers().size(), approval.quorum()));
  }

  static Claim.Rejected of(Approval approval, Terms terms, Rejection rejection) {
    return switch (approval.state()) {
      case "REQUEST_APPROVAL", "AWAITING_HUMAN" -> undecided(approval);
      case "EXECUTED" -> no(Claim.Reason.USED, approval, "it was used before. Ask anew");
      case "APPROVED" -> standing(approval, terms, rejection);
      default -> ended(approval);
    };
  }

  private static Claim.Rejected standing(Approval approval, Terms terms, Rejection rejection) {
    if (rejection.code() != Rejection.Code.GUARD_REFUSED) {
      return new Claim.Rejected(Claim.Reason.NOT_NOW, rejection.message());
    }
    List<String> unmet =
        approval.conditions().stream().filter(c -> !terms.conditionsMet().contains(c)).toList();
    return unmet.isEmpty()
        ? no(Claim.Reason.EXPIRED, approval, "it expired at " + approval.expiresAt() + ". Ask anew")
        : no(
            Claim.Reason.CONDITIONS,
            approval,
            "it holds under conditions that are not met: %s. Meet them and claim again"
                .formatted(String.join("; ", unmet)));
  }

  private static Claim.Rejected ended(Approval approval) {
    return switch (approval.outcome()) {
      case EXPIRED ->
          no(
              Claim.Reason.EXPIRED,
              approval,
              "it expired at " + approval.expiresAt() + ". Ask anew");
      case ORPHANED ->
          no(
              Claim.Reason.ORPHANED,
              approval,
              "what asked for it ('%s') has ended. Start that anew".formatted(approval.owner()));
      case MISMATCH -> mismatch(approval);
      case REJECTED, ESCALATED, GRANTED, EXECUTED ->
          no(
              Claim.Reason.REJECTED,
              approval,
              "'%s' decided: %s. Ask anew if that has changed"
                  .formatted(approval.decisionBy(), approval.reason()));
      case null ->
          no(Claim.Reason.REJECTED, approval, "it was cancelled before anyone decided. Ask anew");
    };
  }

  private static Claim.Rejected no(Claim.Reason reason, Approval approval, String but) {
    return new Claim.Rejected(
        reason,
        "Expected to use approval '%s' of '%s', but %s."
            .formatted(approval.id(), approval.action().subject(), but));
  }
}
