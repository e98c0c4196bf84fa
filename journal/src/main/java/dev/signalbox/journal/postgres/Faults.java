package dev.signalbox.journal.postgres;

import dev.signalbox.journal.JournalException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;

/** What PostgreSQL's errors mean to the one who has to do something about them. */
final class Faults {
  private Faults() {}

  static JournalException of(String doing, SQLException e) {
    return new JournalException("Expected to %s, but %s.".formatted(doing, reason(e)), e);
  }

  /** A commit after which the connection was gone. */
  static JournalException unknown(SQLException e) {
    return new JournalException(
        "Expected the database to confirm a commit, but %s. Read to see whether it happened."
            .formatted(reason(e)),
        e,
        true);
  }

  private static String reason(SQLException e) {
    String state = state(e);
    if (state.startsWith("28")) {
      return "the database refuses the user or the password; look at both";
    }
    if (isBroken(e)) {
      return "the database can't be reached or closed the connection; see that it runs, then it"
          + " goes on";
    }
    return switch (state) {
      case "3D000" -> "there is no such database; create it";
      case "42501" -> "the user may not do that; grant it the rights on the schema";
      case "25006" -> "the database is read-only; use the address of the primary";
      case "53100" -> "the database's disk is full; make room, then it goes on";
      case "40001", "40P01" -> "other writers were in the way each time; try again";
      default -> "PostgreSQL said: " + e.getMessage();
    };
  }

  /** Whether the transaction was rolled back for the sake of another one. */
  static boolean isContention(SQLException e) {
    return state(e).equals("40001") || state(e).equals("40P01");
  }

  /** Whether a lock was not to be had in the time that was set for it. */
  static boolean isTimeout(SQLException e) {
    return state(e).equals("55P03");
  }

  /** Whether the connection is gone, so that nothing is known of what it was doing last. */
  static boolean isBroken(SQLException e) {
    String state = state(e);
    return state.startsWith("08")
        || state.startsWith("57P")
        || e instanceof SQLTransientConnectionException;
  }

  /** The pool wraps what the driver said when it can't connect. */
  private static String state(SQLException e) {
    if (e instanceof SQLTransientConnectionException
        && e.getCause() instanceof SQLException cause) {
      return state(cause);
    }
    return e.getSQLState() == null ? "" : e.getSQLState();
  }
}
