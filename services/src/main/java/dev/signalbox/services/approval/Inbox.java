package dev.signalbox.services.approval;

import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.services.person.Decider;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which waiting requests to find; what is null does not restrict.
 *
 * @param approver who may answer them
 * @param askedBefore at the latest then
 * @param most how many at most, the oldest first
 */
public record Inbox(
    @Nullable Decider approver,
    @Nullable String subject,
    @Nullable String requester,
    @Nullable Instant askedBefore,
    int most) {

  /** A hundred of all that wait. */
  public static final Inbox ALL = new Inbox(null, null, null, null, 100);

  public Inbox {
    if (most < 1 || most > 1_000) {
      throw new IllegalArgumentException(
          "Expected 1 to 1,000 requests, but found %,d.".formatted(most));
    }
  }

  public Inbox of(Actor person) {
    return of(Decider.vouchedFor(person));
  }

  public Inbox of(Decider person) {
    return new Inbox(person, subject, requester, askedBefore, most);
  }

  public Inbox about(String what) {
    return new Inbox(approver, what, requester, askedBefore, most);
  }

  public Inbox askedBy(String name) {
    return new Inbox(approver, subject, name, askedBefore, most);
  }

  public Inbox askedBefore(Instant moment) {
    return new Inbox(approver, subject, requester, moment, most);
  }

  public Inbox most(int count) {
    return new Inbox(approver, subject, requester, askedBefore, count);
  }

  /** Those that a store can find; of them it is for {@link #wants} to say which. */
  public Query query() {
    Map<String, String> fields = new LinkedHashMap<>();
    if (subject != null) {
      fields.put("subject", subject);
    }
    if (requester != null) {
      fields.put("requester", requester);
    }
    Query query = Approvals.live("AWAITING_HUMAN").with(fields);
    return askedBefore == null ? query : query.inStateSinceBefore(askedBefore.toEpochMilli());
  }

  public boolean wants(Approval approval) {
    return approver == null || approval.objection(approver) == null;
  }
}
