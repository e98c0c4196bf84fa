package dev.signalbox.journal.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Where the late rows of instances are. Any thread may ask; one changes it.
 *
 * <p>A late row is noted before its commit, with the one that counted until then. So whoever looks
 * here first and into the file afterwards finds what was committed when it looked: the newer one if
 * it is in the file, else the earlier one, else the instance's own row.
 */
final class LateIndex {
  /** Commits for which those are served who see the file as it was before. */
  static final int KEPT = 64;

  private final ConcurrentSkipListMap<Long, Late> byInstance = new ConcurrentSkipListMap<>();

  private final Deque<Leaving> leaving = new ArrayDeque<>();

  private int size;

  /** How many commits there were. */
  private volatile long age;

  /**
   * The late row of an instance.
   *
   * @param position of its newest late row, which may not be committed yet
   * @param earlier the position of the late row before it, or 0
   * @param head the first bytes of the head it has with it, and of its refusals' head; both 0 where
   *     the file has to be asked
   * @param brought whether the instance's own row has come as far, so that this counts only for
   *     those who see the file as it was before
   */
  record Late(long position, long earlier, long head, long refusalHead, boolean brought) {
    /** What is known of a row that is found in the file. */
    static Late at(long position) {
      return new Late(position, 0, 0, 0, false);
    }

    private Late leaving() {
      return new Late(position, earlier, head, refusalHead, true);
    }
  }

  /** An instance whose own row has come as far as its late one, and with which commit. */
  private record Leaving(long age, long instance, long position) {}

  @Nullable Late of(long instance) {
    return byInstance.get(instance);
  }

  /** The same for the writer, who sees the file as it is. */
  @Nullable Late counting(long instance) {
    Late late = byInstance.get(instance);
    return late == null || late.brought() ? null : late;
  }

  void put(long instance, Late late) {
    Late before = byInstance.put(instance, late);
    if (before == null || before.brought()) {
      size++;
    }
  }

  /**
   * Notes the late rows in the file behind a position.
   *
   * @return the position of the last one, or the same when there is none
   */
  long read(Connection connection, long after) throws SQLException {
    long last = after;
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select position, instance from late where position > ? order by position")) {
      statement.setLong(1, after);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          last = rows.getLong(1);
          put(rows.getLong(2), Late.at(last));
        }
      }
    }
    return last;
  }

  /** The first instance behind this one with a late row that counts; null when there is none. */
  Map.@Nullable Entry<Long, Late> behind(long instance) {
    Map.Entry<Long, Late> next = byInstance.higherEntry(instance);
    while (next != null && next.getValue().brought()) {
      next = byInstance.higherEntry(next.getKey());
    }
    return next;
  }

  /** A commit brought these instances as far; they are taken out when nobody can need them. */
  void committed(Map<Long, Long> brought) {
    long now = age + 1;
    age = now;
    brought.forEach((instance, position) -> {
      Late late = byInstance.get(instance);
      if (late != null && !late.brought() && late.position() <= position) {
        byInstance.put(instance, late.leaving());
        size--;
        leaving.add(new Leaving(now, instance, position));
      }
    });
    while (!leaving.isEmpty() && leaving.getFirst().age() + KEPT <= now) {
      Leaving first = leaving.removeFirst();
      Late late = byInstance.get(first.instance());
      if (late != null && late.brought() && late.position() <= first.position()) {
        byInstance.remove(first.instance());
      }
    }
  }

  /** How many commits there were; who reads the file first and then here compares. */
  long age() {
    return age;
  }

  /** How many instances have a late row that counts. */
  int size() {
    return size;
  }

  /** Takes out everything before a position. */
  void removeBefore(long position) {
    byInstance.values().removeIf(late -> late.position() < position);
  }
}
