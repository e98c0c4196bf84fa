package dev.signalbox.journal.sqlite;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** Where the late rows of instances are, found by reading a file. For one thread at a time. */
final class LateIndex implements Places {
  private final Map<Long, Long> positions = new HashMap<>();
  private long last;

  /** Notes the late rows that came since the last time, and forgets those that were dropped. */
  void read(Connection connection) throws SQLException {
    long first = Long.MAX_VALUE;
    try (PreparedStatement statement =
        connection.prepareStatement("select min(position) from late")) {
      try (ResultSet rows = statement.executeQuery()) {
        if (rows.next() && rows.getLong(1) > 0) {
          first = rows.getLong(1);
        }
      }
    }
    long oldest = first;
    positions.values().removeIf(position -> position < oldest);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select position, instance from late where position > ? order by position")) {
      statement.setLong(1, last);
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          last = rows.getLong(1);
          positions.put(rows.getLong(2), last);
        }
      }
    }
  }

  @Override
  public Place of(long instance) {
    Long position = positions.get(instance);
    return position == null ? NOWHERE : new Place(position, 0);
  }

  /** It says what the file says that was read. */
  @Override
  public long age() {
    return 0;
  }
}
