package dev.signalbox.systems.runs;

import dev.signalbox.kernel.Actor;
import dev.signalbox.services.approval.Action;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.approval.Asker;
import dev.signalbox.services.approval.Inbox;
import dev.signalbox.services.approval.Outcome;
import dev.signalbox.services.approval.Request;
import dev.signalbox.services.approval.Risk;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a run asks people. The same question under the same key is the same request; one that
 * somebody else put there under that key, with another chain or another owner, is not taken for it.
 */
final class Asking {
  private final Approvals approvals;

  Asking(Approvals approvals) {
    this.approvals = approvals;
  }

  /**
   * Asks. What expires before the run has waited as long as it may is as what nobody answered.
   *
   * @param events what the run is sent for which outcome
   * @return the id of the approval
   */
  String ask(
      String run,
      Action action,
      Risk risk,
      Actor requester,
      Approvers who,
      Map<Outcome, String> events,
      String key) {
    Request request =
        Request.of(action, Asker.of(requester).in(run))
            .risk(risk)
            .ownedBy(run)
            .quorum(who.quorum())
            .roles(who.roles().toArray(String[]::new))
            .assignedTo(who.assignedTo().toArray(String[]::new))
            .expiresIn(who.expiresIn())
            .escalation(who.silence())
            .key(key);
    for (Map.Entry<Outcome, String> event : events.entrySet()) {
      request = request.telling(run, event.getKey(), event.getValue());
    }
    String halting = events.get(Outcome.ESCALATED);
    if (who.expiresEarly() && halting != null) {
      request = request.telling(run, Outcome.EXPIRED, halting);
    }
    String id = approvals.requestForService(request);
    Approval asked = approvals.approval(id);
    if (!asked.chain().equals(request.chain())
        || !asked.owner().equals(run)
        || asked.quorum() != request.quorum()
        || !asked.barred().contains(requester.name())) {
      throw new IllegalStateException(
          "Expected to ask for '%s' of '%s', but '%s' is another's request under the same key."
              .formatted(action.name(), run, id));
    }
    return id;
  }

  /**
   * Closes what the run asked and nobody needs answered any more, because one of its tools is about
   * to run: of a tool of unknown outcome people were asked two things, and answered one.
   */
  void closeOthers(String run) {
    for (Approval waiting : approvals.pending(Inbox.ALL.about(run))) {
      if (waiting.owner().equals(run)) {
        approvals.withdraw(waiting.id());
      }
    }
  }

  /** Who asked for the run, as its context has it. */
  static Actor requester(Map<String, Object> fields) {
    return new Actor(
        Actor.Kind.valueOf(Form.text(fields, "kind").toUpperCase(Locale.ROOT)),
        Form.text(fields, "name"),
        List.of());
  }
}
