package dev.signalbox.services.approval;

import java.util.Locale;

/** How a request stands or ended, once it was decided. */
public enum Outcome {
  /** People said yes, and it was not used yet. */
  GRANTED,
  /** Somebody said no. */
  REJECTED,
  /** It was handed upwards, which calls the action off. */
  ESCALATED,
  /** Its time was over, decided or not. */
  EXPIRED,
  /** What asked had ended. */
  ORPHANED,
  /** Somebody wanted to use it for something else. */
  MISMATCH,
  /** It was used. */
  EXECUTED;

  /** As JSON and the machine write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
