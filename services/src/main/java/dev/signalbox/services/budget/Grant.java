package dev.signalbox.services.budget;

import java.util.Map;

/** What becomes of asking for a reservation. */
public sealed interface Grant {

  /**
   * It is taken, on the account and all above it.
   *
   * @param id names it for ever
   */
  record Reserved(String budget, String id, String account, Map<String, Long> amounts)
      implements Grant {
    public Reserved {
      amounts = Map.copyOf(amounts);
    }
  }

  /** Nothing is taken. */
  record Refused(Reason reason, String message) implements Grant {}

  /** Why nothing is taken. */
  enum Reason {
    /** It does not fit; whoever owns the line was told. */
    EXHAUSTED,
    /** There is no such budget, account or unit, it is closed, or too much is reserved at once. */
    NOT_POSSIBLE,
    /** The engine could not take it now; nothing is known to have happened. */
    NOT_NOW
  }
}
