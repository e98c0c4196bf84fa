package dev.signalbox.services.approval;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.RejectedException;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.ServiceKey;
import dev.signalbox.services.MachineDoor;
import dev.signalbox.services.person.Decider;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests to people, their answers, and the one use of a yes. Any thread may use it, and any
 * number of nodes.
 */
public final class Approvals {
  /** The role that lets a person answer at all. */
  public static final String APPROVER = "approver";

  /** The machine of which every request is an instance. */
  public static final String MACHINE = "approval";

  private final Host host;
  private final MachineDoor door;

  private Approvals(Host host) {
    this.host = host;
    this.door = new MachineDoor(host, MACHINE);
  }

  /** The approvals of a store; its machine is published there when it is not yet. */
  public static Approvals on(Host host) {
    return new Approvals(host);
  }

  /**
   * Asks.
   *
   * @return the id of the approval; the same for the same key
   * @throws RejectedException when the owner has ended, when the approval above is not there, when
   *     the arguments are too large, or when the key was used to ask for something else
   */
  public String request(Request request) {
    return asked(request, door.submit(asking(request, request.key())));
  }

  /**
   * Asks under a key that a service chose, which nobody outside can have asked under.
   *
   * @see #request(Request)
   */
  public String requestForService(Request request) {
    String key = request.key();
    Command asking = asking(request, key == null ? null : ServiceKey.of(key));
    return asked(request, door.submitForService(asking));
  }

  private Command asking(Request request, @Nullable String key) {
    Actor asker = actor(request.chain().getLast());
    return new Command.Start(door.machine(), null, request.input(chain(request)), asker, key);
  }

  private String asked(Request request, Reply reply) {
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) -> asked(request, receipt.instance());
      case Reply.Rejected(Rejection rejection) -> throw new RejectedException(rejection);
    };
  }

  /** A key that was used to ask for something else gives no approval for this. */
  private String asked(Request request, String id) {
    if (request.key() != null && !approval(id).digest().equals(request.action().digest())) {
      throw new RejectedException(
          new Rejection(
              Rejection.Code.INSTANCE_EXISTS,
              "Expected the key '%s' to be new, but '%s' asks for something else under it."
                  .formatted(request.key(), id),
              List.of()));
    }
    return id;
  }

  private List<Asker> chain(Request request) {
    String owner = request.owner();
    if (!owner.isEmpty() && hasEnded(owner)) {
      throw new RejectedException(
          new Rejection(
              Rejection.Code.UNKNOWN_INSTANCE,
              "Expected the owner '%s' of the request to live, but it has ended or never was."
                  .formatted(owner),
              List.of()));
    }
    String above = request.under();
    if (above == null) {
      return request.chain();
    }
    List<Asker> whole = new ArrayList<>(approval(above).chain());
    whole.addAll(request.chain());
    return whole;
  }

  private static Actor actor(Asker asker) {
    return new Actor(asker.kind(), asker.name(), List.of());
  }

  /**
   * Says yes to exactly what has the digest.
   *
   * @param digest of what the approver saw
   */
  public Reply approve(String id, Actor actor, String digest) {
    return answer(id, actor, new Answer.Approve(digest, null), null);
  }

  /**
   * Says yes, under a condition that a claim has to meet.
   *
   * @param condition in words, or in whatever form the claiming side understands
   */
  public Reply approve(String id, Actor actor, String digest, String condition) {
    return answer(id, actor, new Answer.Approve(digest, condition), null);
  }

  /** Says no, for everybody. */
  public Reply reject(String id, Actor actor, String reason) {
    return answer(id, actor, new Answer.Reject(reason), null);
  }

  /** Hands it upwards, which calls the action off. */
  public Reply escalate(String id, Actor actor, String reason) {
    return answer(id, actor, new Answer.Escalate(reason), null);
  }

  /** Says what the answer says, for an actor for whom the program vouches. */
  public Reply answer(String id, Actor actor, Answer answer, @Nullable String key) {
    return answer(id, Decider.vouchedFor(actor), answer, key);
  }

  /**
   * Says what the answer says.
   *
   * @param key the same answer under the same key counts once and gets the same reply, on every
   *     node and after a restart; null for none
   */
  public Reply answer(String id, Decider decider, Answer answer, @Nullable String key) {
    return decide(id, decider, answer.event(), answer.data(), key);
  }

  /** Puts it to these people instead. */
  public Reply reassign(String id, Actor actor, List<String> to) {
    return reassign(id, Decider.vouchedFor(actor), to);
  }

  /** Puts it to these people instead. */
  public Reply reassign(String id, Decider decider, List<String> to) {
    return decide(
        id,
        decider,
        "reassign",
        Map.of("to", Limits.people(to, "those it is reassigned to")),
        null);
  }

  /** Gives the actor's own say to somebody else, for good. */
  public Reply delegate(String id, Actor actor, String to) {
    return delegate(id, Decider.vouchedFor(actor), to);
  }

  /** Gives the decider's own say to somebody else, for good. */
  public Reply delegate(String id, Decider decider, String to) {
    Limits.text(to, "a name");
    return decide(id, decider, "delegate", Map.of("to", to), null);
  }

  /**
   * Decides as the actor that the decider is for this request: whether it is their own is said by
   * the service, which knows all their names, and judged by the machine.
   */
  private Reply decide(
      String id, Decider decider, String event, Object data, @Nullable String key) {
    Instance instance = door.find(id);
    if (instance == null) {
      return new Reply.Rejected(door.unknown(id));
    }
    List<String> askers = Approval.of(instance).askers();
    if (instance.version() == 1 && decider.isOneOf(askers)) {
      return new Reply.Rejected(ownOfTheFirstVersion(id));
    }
    return door.send(new Command.Send(id, event, data, decider.deciding(askers), key, null));
  }

  /** The first version of the machine compares names letter by letter. */
  private static Rejection ownOfTheFirstVersion(String id) {
    return new Rejection(
        Rejection.Code.GUARD_REFUSED,
        "Expected to decide on '%s', but who asked may not. Let somebody else decide, or ask anew."
            .formatted(id),
        List.of());
  }

  /** Reminds those who may answer. */
  public Reply remind(String id, Actor actor) {
    return send(id, "remind", null, actor);
  }

  private Reply send(String id, String event, @Nullable Object data, Actor actor) {
    return door.send(new Command.Send(id, event, data, actor, null, null));
  }

  /** Claims an approval without conditions, in one attempt. */
  public Claim claim(String id, Action action) {
    return claim(id, action, Terms.NONE);
  }

  /**
   * Uses an approval up, if it is for exactly this action. Of all claims one succeeds. A claim for
   * anything else aborts the approval.
   */
  public Claim claim(String id, Action action, Terms terms) {
    Instance instance = door.find(id);
    if (instance == null) {
      return new Claim.Rejected(Claim.Reason.UNKNOWN, door.unknown(id).message());
    }
    Approval approval = Approval.of(instance);
    if (terms.key() != null && !isDecided(instance, approval)) {
      // A key gets the same answer for ever, so it is not spent while the answer will still change.
      return Refusals.early(approval, instance.status());
    }
    if (isOrphan(approval) && instance.status().equals("live")) {
      close(approval);
    }
    return answer(id, terms, door.submitForService(ServiceKey.on(claiming(id, action, terms))));
  }

  private static boolean isDecided(Instance instance, Approval approval) {
    return instance.status().equals("ended")
        || (instance.status().equals("live") && approval.state().equals("APPROVED"));
  }

  /** The command that claims. What is claimed and how is part of its key. */
  static Command.Send claiming(String id, Action action, Terms terms) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("digest", action.digest());
    data.put("conditions", terms.conditionsMet().stream().sorted().toList());
    String key = terms.key() == null ? null : terms.key() + " " + CanonicalJson.text(data);
    return new Command.Send(id, "executed", data, Actor.SYSTEM, key, null);
  }

  /** What the reply to that command means. */
  Claim answer(String id, Terms terms, Reply reply) {
    Approval approval = approval(id);
    return switch (reply) {
      case Reply.Accepted(Receipt receipt) when receipt.states().equals(List.of("EXECUTED")) ->
          new Claim.Claimed(receipt, approval);
      case Reply.Accepted _ -> Refusals.mismatch(approval);
      case Reply.Rejected(Rejection rejection) -> Refusals.of(approval, terms, rejection);
    };
  }

  /**
   * Runs the work if the approval is for exactly this action: claims it at the moment of execution,
   * and gives the work the very values that were compared. Otherwise nothing runs.
   *
   * @throws Exception what the work throws; the approval is used up then
   */
  public <T extends @Nullable Object> Execution<T> execute(
      String id, Action action, Terms terms, Execution.Work<T> work) throws Exception {
    return switch (claim(id, action, terms)) {
      case Claim.Claimed _ -> new Execution.Done<>(work.run(action));
      case Claim.Rejected rejected -> new Execution.Rejected<>(rejected);
    };
  }

  public <T extends @Nullable Object> Execution<T> execute(
      String id, Action action, Execution.Work<T> work) throws Exception {
    return execute(id, action, Terms.NONE, work);
  }

  /**
   * The approval as it stands.
   *
   * @throws RejectedException when there is none
   */
  public Approval approval(String id) {
    Instance instance = door.find(id);
    if (instance == null) {
      throw new RejectedException(door.unknown(id));
    }
    return Approval.of(instance);
  }

  /** Requests that wait for people, the oldest first. */
  public List<Approval> pending(Inbox inbox) {
    List<Approval> found = new ArrayList<>();
    Pages pages = new Pages(host, inbox.query());
    while (found.size() < inbox.most() && pages.hasNext()) {
      Approval approval = Approval.of(pages.next());
      if (inbox.wants(approval)) {
        found.add(approval);
      }
    }
    return found;
  }

  static Query live(String state) {
    return Query.ALL.ofMachine(MACHINE).in(state).that(InstanceRow.Status.LIVE);
  }

  /**
   * What {@link #tend} did.
   *
   * @param orphans requests that it closed
   */
  public record Tended(int orphans, int reminders) {}

  /** Closes requests whose owner has ended and sends reminders that are due. */
  public Tended tend() {
    long now = host.clock().millis();
    int orphans = 0;
    int reminders = 0;
    for (String state : List.of("AWAITING_HUMAN", "APPROVED")) {
      Pages pages = new Pages(host, live(state));
      while (pages.hasNext()) {
        Approval approval = Approval.of(pages.next());
        if (isOrphan(approval)) {
          orphans += close(approval) ? 1 : 0;
        } else if (state.equals("AWAITING_HUMAN") && isReminderDue(approval, now)) {
          reminders += remind(approval) ? 1 : 0;
        }
      }
    }
    return new Tended(orphans, reminders);
  }

  private boolean isOrphan(Approval approval) {
    return !approval.owner().isEmpty() && hasEnded(approval.owner());
  }

  /** An instance that is not there any more was archived, so it has ended. */
  private boolean hasEnded(String id) {
    Instance instance = host.find(id);
    return instance == null || instance.status().equals("ended");
  }

  private boolean close(Approval orphan) {
    String key = ServiceKey.of("orphaned");
    return door.submitForService(
            new Command.Send(orphan.id(), "orphaned", null, Actor.SYSTEM, key, null))
        instanceof Reply.Accepted;
  }

  /** Closes a request whose answer nobody needs any more; false when it was decided before. */
  public boolean withdraw(String id) {
    return close(approval(id));
  }

  private static boolean isReminderDue(Approval approval, long now) {
    long every = approval.remindEvery();
    long waited = now - approval.requestedAt().toEpochMilli();
    return every > 0 && waited / every > approval.reminders();
  }

  /** Two nodes may find the same reminder due; the key makes it one. */
  private boolean remind(Approval approval) {
    String key = ServiceKey.of("reminder-" + (approval.reminders() + 1));
    return door.submitForService(
            new Command.Send(approval.id(), "remind", null, Actor.SYSTEM, key, null))
        instanceof Reply.Accepted;
  }
}
