package dev.signalbox.services.approval;

import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of people.
 *
 * @param chain who asked whom, from the person at the beginning down to who asks now
 * @param under the approval under which this is asked; its chain comes before this one. Or null
 * @param owner the instance that waits for the answer; when it ends, the request is closed. Or an
 *     empty text
 * @param quorum how many different people have to say yes
 * @param roles of which an approver needs one, besides being an approver at all
 * @param assignedTo the only people who may answer; empty for everyone with the roles
 * @param tell the instance that is sent an event for an outcome; or an empty text
 * @param events which event it is sent for which outcome
 * @param key the same key is the same request; or null
 */
public record Request(
    Action action,
    List<Asker> chain,
    @Nullable String under,
    Risk risk,
    String owner,
    int quorum,
    List<String> roles,
    List<String> assignedTo,
    Duration expiresIn,
    Escalation escalation,
    String tell,
    Map<Outcome, String> events,
    @Nullable String key) {

  private static final Duration DAY = Duration.ofHours(24);

  public Request {
    Limits.text(action.subject(), "a subject");
    Limits.text(action.name(), "an action's name");
    chain = List.copyOf(chain);
    chain.forEach(asker -> Limits.text(asker.name(), "the name of who asks"));
    roles = Limits.people(roles, "the roles");
    assignedTo = Limits.people(assignedTo, "those it is assigned to");
    events = Map.copyOf(events);
    Limits.duration(expiresIn, "a life");
    if (chain.isEmpty()) {
      throw new IllegalArgumentException("Expected somebody who asks, but there is nobody.");
    }
    if (quorum < 1
        || quorum > Limits.QUORUM
        || (!assignedTo.isEmpty() && assignedTo.size() < quorum)) {
      throw new IllegalArgumentException(
          "Expected a quorum of 1 to %d that those who may answer can reach, but it is %d of %s."
              .formatted(Limits.QUORUM, quorum, assignedTo.isEmpty() ? "anyone" : assignedTo));
    }
    if (tell.isEmpty() != events.isEmpty()) {
      throw new IllegalArgumentException(
          "Expected both an instance to tell and the events to tell it, but one is missing.");
    }
  }

  /** A request of high risk to any one approver, for a day. */
  public static Request of(Action action, Asker... chain) {
    return new Request(
        action,
        List.of(chain),
        null,
        Risk.HIGH,
        "",
        1,
        List.of(),
        List.of(),
        DAY,
        Escalation.NONE,
        "",
        Map.of(),
        null);
  }

  /** Asked by someone who acts under another approval: the whole chain of that one comes first. */
  public Request under(String approval) {
    return new Request(
        action,
        chain,
        approval,
        risk,
        owner,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  public Request risk(Risk of) {
    return new Request(
        action,
        chain,
        under,
        of,
        owner,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  /** Closed when that instance ends. */
  public Request ownedBy(String instance) {
    return new Request(
        action,
        chain,
        under,
        risk,
        instance,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  public Request quorum(int people) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        people,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  /** Only for approvers with one of these roles. */
  public Request roles(String... anyOf) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        List.of(anyOf),
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  public Request assignedTo(String... people) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        roles,
        List.of(people),
        expiresIn,
        escalation,
        tell,
        events,
        key);
  }

  public Request expiresIn(Duration life) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        roles,
        assignedTo,
        life,
        escalation,
        tell,
        events,
        key);
  }

  public Request escalation(Escalation policy) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        policy,
        tell,
        events,
        key);
  }

  /** Sends the instance the event when the request comes to the outcome. */
  public Request telling(String instance, Outcome when, String event) {
    if (!tell.isEmpty() && !tell.equals(instance)) {
      throw new IllegalArgumentException(
          "Expected one instance to tell, but found '%s' and '%s'.".formatted(tell, instance));
    }
    Map<Outcome, String> more = new EnumMap<>(Outcome.class);
    more.putAll(events);
    more.put(when, event);
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        instance,
        more,
        key);
  }

  public Request key(String idempotencyKey) {
    return new Request(
        action,
        chain,
        under,
        risk,
        owner,
        quorum,
        roles,
        assignedTo,
        expiresIn,
        escalation,
        tell,
        events,
        idempotencyKey);
  }

  /**
   * What the machine is started with.
   *
   * @param whole the chain, with that of the approval above
   */
  Map<String, @Nullable Object> input(List<Asker> whole) {
    if (whole.size() > Limits.CHAIN) {
      throw new IllegalArgumentException(
          "Expected a chain of at most %d who asked, but there are %d."
              .formatted(Limits.CHAIN, whole.size()));
    }
    List<String> barred = whole.stream().map(Asker::name).distinct().toList();
    refuseAskers(barred, assignedTo);
    refuseAskers(barred, escalation.reassignTo());
    Map<String, @Nullable Object> input = new LinkedHashMap<>();
    input.put("subject", action.subject());
    input.put("action", action.name());
    input.put("arguments", action.arguments());
    input.put("identity", action.identity());
    input.put("digest", action.digest());
    input.put("risk", risk.word());
    input.put("owner", owner);
    input.put("requester", whole.getLast().name());
    input.put("chain", whole.stream().map(Asker::asMap).toList());
    input.put("barred", barred);
    input.put("roles", roles.isEmpty() ? List.of(Approvals.APPROVER) : roles);
    input.put("quorum", (long) quorum);
    input.put("assigned_to", assignedTo);
    input.put("expires_in_ms", expiresIn.toMillis());
    input.put("remind_every_ms", Escalation.millis(escalation.remindEvery()));
    input.put("reassign_after_ms", Escalation.millis(escalation.reassignAfter()));
    input.put("reassign_to", escalation.reassignTo());
    input.put("escalate_after_ms", Escalation.millis(escalation.escalateAfter()));
    input.put("tell", tell);
    Map<String, Object> told = new LinkedHashMap<>();
    events.forEach((outcome, event) -> told.put(outcome.word(), event));
    input.put("tell_events", told);
    return input;
  }

  private static void refuseAskers(List<String> askers, List<String> people) {
    for (String name : people) {
      if (askers.contains(name)) {
        throw new IllegalArgumentException(
            "Expected others than those who ask to answer, but '%s' is among both."
                .formatted(name));
      }
    }
  }
}
