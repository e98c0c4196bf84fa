package dev.signalbox.services.approval;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.services.person.Decider;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request as it stands, with everything an approver has to see.
 *
 * @param state of the machine, such as {@code AWAITING_HUMAN}
 * @param action with its exact arguments
 * @param digest what an approver names
 * @param chain who asked whom, the person first
 * @param owner the instance that waits, or an empty text
 * @param approvers who said yes so far
 * @param assignedTo the only ones who may answer; empty for everyone with the roles
 * @param barred who may not: those who asked, those who approved, those who gave their say away
 * @param delegatedFrom who gave their say away
 * @param delegatedTo who was given somebody's say
 * @param conditions under which it was approved
 * @param outcome null while it is undecided
 * @param decisionBy who decided, or an empty text
 * @param self whether a sole person decided on what they had started, as the people of the store
 *     allow
 */
public record Approval(
    String id,
    String state,
    Action action,
    String digest,
    Risk risk,
    List<Asker> chain,
    String owner,
    int quorum,
    List<String> roles,
    List<String> approvers,
    List<String> assignedTo,
    List<String> barred,
    List<String> delegatedFrom,
    List<String> delegatedTo,
    List<String> conditions,
    long reminders,
    Instant requestedAt,
    Instant expiresAt,
    long remindEvery,
    @Nullable Outcome outcome,
    String decisionBy,
    boolean self,
    String reason) {

  /** What the instance says, whoever started it with whatever its machine let pass. */
  public static Approval of(Instance instance) {
    Fields fields = new Fields(instance.context());
    String outcome = fields.text("outcome");
    long expiresAt = fields.number("expires_at");
    return new Approval(
        instance.id(),
        instance.leaves().isEmpty() ? "" : instance.leaves().getFirst(),
        Action.recorded(
            fields.text("subject"),
            fields.text("action"),
            instance.context().get("arguments"),
            fields.map("identity")),
        fields.text("digest"),
        Risk.of(fields.text("risk")),
        chain(fields),
        fields.text("owner"),
        (int) fields.number("quorum"),
        fields.texts("roles"),
        approvers(fields),
        fields.texts("assigned_to"),
        barred(fields),
        fields.texts("delegated_from"),
        fields.texts("delegated_to"),
        fields.texts("conditions"),
        fields.number("reminders"),
        Instant.ofEpochMilli(expiresAt - fields.number("expires_in_ms")),
        Instant.ofEpochMilli(expiresAt),
        fields.number("remind_every_ms"),
        outcome.isEmpty() ? null : Outcome.valueOf(outcome.toUpperCase(java.util.Locale.ROOT)),
        fields.text("decision_by"),
        Boolean.TRUE.equals(instance.context().get("self")),
        fields.text("reason"));
  }

  /** Who said yes; the machine keeps one who decided on their own apart from the others. */
  private static List<String> approvers(Fields fields) {
    return Boolean.TRUE.equals(fields.context().get("self"))
        ? List.of(fields.text("decision_by"))
        : fields.texts("approvers");
  }

  /** Those who asked, the requester alone where nobody wrote the chain down. */
  private static List<Asker> chain(Fields fields) {
    List<Asker> chain =
        fields.list("chain").stream().map(Asker::recorded).filter(Objects::nonNull).toList();
    return chain.isEmpty() ? List.of(Asker.named(fields.text("requester"))) : chain;
  }

  /** Whoever asked is barred, also where nobody wrote it down. */
  private static List<String> barred(Fields fields) {
    List<String> barred = new ArrayList<>(fields.texts("barred"));
    barred.add(fields.text("requester"));
    return barred.stream().distinct().toList();
  }

  /** Whether it waits for people. */
  public boolean isWaiting() {
    return state.equals("AWAITING_HUMAN");
  }

  /** The names of those who asked, directly or through others. */
  List<String> askers() {
    List<String> askers = new ArrayList<>(barred);
    askers.removeAll(approvers);
    askers.removeAll(delegatedFrom);
    chain.forEach(asker -> askers.add(asker.name()));
    return askers;
  }

  /** Who asks now, the last of the chain. */
  public Asker requester() {
    return chain.getLast();
  }

  /** Whether the person may say yes to it now. The machine decides; this is to know before. */
  public boolean isFor(Actor person) {
    return objection(person) == null;
  }

  /** As {@link #objection(Decider)}, of somebody with one name. */
  public @Nullable Objection objection(Actor person) {
    return objection(Decider.vouchedFor(person));
  }

  /** Why the person may not say yes to it now, or null when they may. */
  public @Nullable Objection objection(Decider decider) {
    Actor person = decider.actor();
    String name = person.name();
    if (!isWaiting()) {
      return Objection.decided();
    }
    if (person.kind() != Actor.Kind.USER || !person.roles().contains(Approvals.APPROVER)) {
      return Objection.notAnApprover();
    }
    if (approvers.contains(name)) {
      return Objection.approved(quorum - approvers.size());
    }
    if (delegatedFrom.contains(name)) {
      return Objection.delegated();
    }
    boolean self = decider.isOneOf(askers());
    if (self && !(decider.own() && quorum == 1)) {
      return Objection.asked();
    }
    if (!self && delegatedTo.contains(name)) {
      return null;
    }
    if (!assignedTo.isEmpty() && !assignedTo.contains(name)) {
      return Objection.notAssigned(assignedTo);
    }
    return person.roles().stream().anyMatch(roles::contains) ? null : Objection.noRole(roles);
  }

  /** The approval as JSON. */
  public Map<String, @Nullable Object> asMap() {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("id", id);
    map.put("state", state);
    map.put("subject", action.subject());
    map.put("action", action.name());
    map.put("arguments", action.arguments());
    map.put("identity", action.identity());
    map.put("digest", digest);
    map.put("risk", risk.word());
    map.put("chain", chain.stream().map(Asker::asMap).toList());
    map.put("owner", owner);
    map.put("quorum", (long) quorum);
    map.put("roles", roles);
    map.put("approvers", approvers);
    map.put("assigned_to", assignedTo);
    map.put("delegated_to", delegatedTo);
    map.put("conditions", conditions);
    map.put("reminders", reminders);
    map.put("requested_at", requestedAt.toString());
    map.put("expires_at", expiresAt.toString());
    map.put("outcome", outcome == null ? null : outcome.word());
    map.put("decision_by", decisionBy);
    map.put("self", self);
    map.put("reason", reason);
    return map;
  }
}
