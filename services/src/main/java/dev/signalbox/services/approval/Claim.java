package dev.signalbox.services.approval;

import dev.signalbox.runtime.Receipt;

/** What a claim comes to. Only {@link Claimed} lets anything run. */
public sealed interface Claim {

  /**
   * The approval is used up, by this claim and no other.
   *
   * @param receipt of the entry that says so
   */
  record Claimed(Receipt receipt, Approval approval) implements Claim {}

  /** Nothing may run. */
  record Rejected(Reason reason, String message) implements Claim {}

  /** Why nothing may run. */
  enum Reason {
    /** There is no such approval. */
    UNKNOWN,
    /** People have not decided yet. */
    UNDECIDED,
    /** People said no, or handed it upwards. */
    REJECTED,
    /** Its time is over. */
    EXPIRED,
    /** It was used before. */
    USED,
    /** It is for something else; it is aborted now. */
    MISMATCH,
    /** What asked has ended. */
    ORPHANED,
    /** It holds under conditions, and not all are met. */
    CONDITIONS,
    /** The engine could not take the claim now; nothing is known to have happened. */
    NOT_NOW
  }
}
