package dev.signalbox.systems.runs.audit;

import dev.signalbox.services.approval.Action;
import java.util.List;

/**
 * An approval as the journal has it.
 *
 * @param action what it is for
 * @param digest what people saw and what was claimed
 * @param state where it ended, such as EXECUTED
 * @param askers who asked, directly or through others
 * @param self whether a sole person decided on what they had started, as the store's people allow
 */
public record ApprovalRecord(
    String id,
    Action action,
    String digest,
    String state,
    List<String> askers,
    List<String> approvers,
    long quorum,
    boolean self) {

  /** One that somebody else decided. */
  ApprovalRecord(
      String id,
      Action action,
      String digest,
      String state,
      List<String> askers,
      List<String> approvers,
      long quorum) {
    this(id, action, digest, state, askers, approvers, quorum, false);
  }

  public ApprovalRecord {
    askers = List.copyOf(askers);
    approvers = List.copyOf(approvers);
  }

  boolean isExecuted() {
    return state.equals("EXECUTED");
  }
}
