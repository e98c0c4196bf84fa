package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Change;
import dev.signalbox.journal.sql.Selection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The effects that a group ends and the messages that it delivers: rows that only one may take. */
final class Takings {
  /** Waits for those who have the rows. */
  static final String IN_ORDER = locking("for update");

  /** Fails where somebody has one of the rows. */
  static final String AT_ONCE = locking("for update nowait");

  private static String locking(String how) {
    return "with e as (select number, fence from effect where number = any (?::bigint[]) or (during"
        + " is not null and instance = any (?::bigint[])) order by number "
        + how
        + "), m as (select number from message where number = any (?::bigint[]) order by number "
        + how
        + ") select number, fence from e union all select number, ? from m";
  }

  /** Stands where an effect has its fence. */
  private static final long MESSAGE = -1;

  private Takings() {}

  private record Lock(long number, long fence) {}

  /**
   * Locks what the changes take, until the transaction ends.
   *
   * @param locking {@link #IN_ORDER} or {@link #AT_ONCE}
   * @param lost gets the changes whose rows are gone or have another fence
   * @return the others
   */
  static List<Change> keepPossible(
      Connection connection, String locking, List<Change> changes, List<Change> lost)
      throws SQLException {
    List<Long> effects = new ArrayList<>(0);
    List<Long> messages = new ArrayList<>(0);
    List<Long> leaving = new ArrayList<>(0);
    for (Change change : changes) {
      change.ended().forEach(e -> effects.add(e.number()));
      if (!change.left().isEmpty()) {
        leaving.add(change.after().number());
      }
      messages.addAll(change.delivered());
    }
    if (effects.isEmpty() && messages.isEmpty() && leaving.isEmpty()) {
      return changes;
    }
    Map<Long, Long> locked = new HashMap<>();
    new Selection(locking, array(effects), array(leaving), array(messages), MESSAGE)
        .list(connection, row -> new Lock(row.getLong(1), row.getLong(2)))
        .forEach(lock -> locked.put(lock.number(), lock.fence()));
    List<Change> possible = new ArrayList<>(changes.size());
    for (Change change : changes) {
      boolean stands =
          change.ended().stream().allMatch(e -> has(locked, e.number(), e.fence()))
              && change.delivered().stream().allMatch(m -> has(locked, m, MESSAGE));
      (stands ? possible : lost).add(change);
    }
    return possible;
  }

  private static boolean has(Map<Long, Long> locked, long number, long fence) {
    Long found = locked.get(number);
    return found != null && found == fence;
  }

  private static long[] array(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }
}
