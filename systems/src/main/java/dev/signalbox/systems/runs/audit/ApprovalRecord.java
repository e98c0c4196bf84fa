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
 */
public record ApprovalRecord(
    String id,
    Action action,
    String digest,
    String state,
    List<String> askers,
    List<String> approvers,
    long quorum) {

  public ApprovalRecord {
    askers = List.copyOf(askers);
    approvers = List.copyOf(approvers);
  }

  boolean isExecuted() {
    return state.equals("EXECUTED");
  }
}
