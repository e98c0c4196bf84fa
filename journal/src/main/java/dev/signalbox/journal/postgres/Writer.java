package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.JournalException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One chain of roots and who appends to it; for one append at a time. */
final class Writer {
  /** How often an append begins anew when others were in its way or its connection was gone. */
  private static final int ATTEMPTS = 5;

  private final Connections connections;
  private final long number;
  private final Hashing hashing = new Hashing();
  private long last;
  private byte[] root = Hashing.origin();
  private boolean lostTrack;

  Writer(Connections connections, long number) {
    this.connections = connections;
    this.number = number;
  }

  /** Whether the end of its last append is unknown, so that its chain can't be continued. */
  boolean hasLostTrack() {
    return lostTrack;
  }

  /** Where its chain ends. */
  GroupHead head() {
    return new GroupHead(number, last, root);
  }

  private static List<Change> ordered(Group group) {
    List<Change> ordered = new ArrayList<>(group.changes());
    ordered.sort(Comparator.comparingLong(c -> c.after().number()));
    return ordered;
  }

  /**
   * Appends in a transaction that has the lock on an instance's row already. What others have
   * locked meanwhile they wait with for that row, so it is not waited for in return.
   */
  Appended appendInTurn(Connection connection, Group group) {
    List<Change> ordered = ordered(group);
    try {
      return attempt(connection, group.at(), ordered, Takings.AT_ONCE);
    } catch (SQLException e) {
      if (Faults.isTimeout(e) || Faults.isContention(e)) {
        return new Appended(last, ordered);
      }
      throw Faults.of("append to the journal", e);
    } catch (RuntimeException | Error e) {
      lostTrack = true;
      connections.discard(connection);
      throw e;
    }
  }

  Appended append(Group group) {
    List<Change> ordered = ordered(group);
    boolean step = ordered.size() == 1 && StepStatement.fits(ordered.getFirst());
    boolean mayHaveHappened = false;
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = connections.writer()) {
        try {
          return step
              ? attemptStep(connection, group.at(), ordered.getFirst(), mayHaveHappened)
              : attempt(connection, group.at(), ordered, Takings.IN_ORDER);
        } catch (SQLException e) {
          mayHaveHappened |= step && Faults.isBroken(e);
          boolean again = Faults.isContention(e) || Faults.isBroken(e);
          if (!again || attempt == ATTEMPTS) {
            throw e;
          }
        } catch (RuntimeException | Error e) {
          // It may have been thrown after the commit, and before its root was noted.
          lostTrack = true;
          connections.discard(connection);
          throw e;
        }
      } catch (SQLException e) {
        if (mayHaveHappened) {
          throw lostTrack(e);
        }
        throw Faults.of("append to the journal", e);
      }
    }
  }

  /**
   * One step stands or is lost as a whole, so its statement commits by itself: that saves a trip to
   * the database. When the connection breaks in between, it may have happened. Then it is tried
   * again, and where it stands now it had not happened before and never will: the head that it
   * expects was still there.
   */
  private Appended attemptStep(Connection connection, long at, Change step, boolean mayHaveHappened)
      throws SQLException {
    connection.setAutoCommit(true);
    byte[] next = hashing.root(root, List.of(step.entries().getFirst().hash()));
    long group =
        StepStatement.execute(
            connection, step, new AppendStatement.GroupRow(number, last, at, next));
    if (group != StepStatement.LOST) {
      last = group;
      root = next;
      return new Appended(last, List.of());
    }
    if (mayHaveHappened) {
      throw lostTrack(new SQLException("another head was found after the connection broke"));
    }
    return new Appended(last, List.of(step));
  }

  private Appended attempt(Connection connection, long at, List<Change> ordered, String takings)
      throws SQLException {
    List<Change> lost = new ArrayList<>(0);
    List<Change> standing = Takings.keepPossible(connection, takings, ordered, lost);
    if (standing.isEmpty()) {
      return new Appended(last, lost);
    }
    AppendStatement statement = new AppendStatement(standing);
    byte[] next = rootOver(statement.hashes(_ -> true));
    AppendStatement.GroupRow row =
        next == null ? null : new AppendStatement.GroupRow(number, last, at, next);
    AppendStatement.Outcome outcome = statement.execute(connection, row);
    Set<Long> winners = outcome.winners();
    if (winners != null) {
      for (Change change : standing) {
        if (!winners.contains(change.after().number())) {
          lost.add(change);
        }
      }
      if (winners.isEmpty()) {
        return new Appended(last, lost);
      }
      next = rootOver(statement.hashes(winners::contains));
      correctRoot(connection, outcome.group(), next);
    }
    commit(connection);
    if (next != null) {
      last = outcome.group();
      root = next;
    }
    return new Appended(last, lost);
  }

  /** Null when there are no entries: such a group leaves no row. */
  private byte @Nullable [] rootOver(List<byte[]> hashes) {
    return hashes.isEmpty() ? null : hashing.root(root, hashes);
  }

  /** The root was computed as if nobody would lose, so that the group needs one statement only. */
  private static void correctRoot(Connection connection, long group, byte @Nullable [] right)
      throws SQLException {
    if (right == null) {
      Connections.update(connection, "delete from commit_group where number = ?", group);
    } else {
      Connections.update(
          connection, "update commit_group set root = ? where number = ?", right, group);
    }
  }

  private void commit(Connection connection) throws SQLException {
    try {
      connection.commit();
    } catch (SQLException e) {
      if (Faults.isBroken(e)) {
        throw lostTrack(e);
      }
      throw e;
    }
  }

  private JournalException lostTrack(SQLException e) {
    lostTrack = true;
    return Faults.unknown(e);
  }
}
