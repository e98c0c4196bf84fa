package dev.signalbox.bench.journal;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Random;

/**
 * What SQLite does at most: a bare loop that updates an instance row and inserts a journal row, in
 * groups, every commit flushed.
 */
final class RawSqlite {
  private RawSqlite() {}

  /** Pairs of rows a second. */
  static double perSecond(
      Path file, int instances, int group, int rowBytes, int entryBytes, long millis)
      throws Exception {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("pragma journal_mode = wal");
        statement.execute("pragma synchronous = full");
        statement.execute(
            "create table instance (number integer primary key, sequence integer, head blob,"
                + " snapshot blob)");
        statement.execute(
            "create table entry (position integer primary key, instance integer, sequence integer,"
                + " hash blob, body blob)");
      }
      connection.setAutoCommit(false);
      byte[] hash = new byte[32];
      byte[] row = new byte[rowBytes];
      byte[] body = new byte[entryBytes];
      Random random = new Random(1);
      random.nextBytes(hash);
      random.nextBytes(row);
      random.nextBytes(body);
      try (PreparedStatement insert =
              connection.prepareStatement("insert into instance values (?, 0, ?, ?)");
          PreparedStatement update =
              connection.prepareStatement(
                  "update instance set sequence = ?, head = ?, snapshot = ? where number = ?");
          PreparedStatement entry =
              connection.prepareStatement("insert into entry values (?, ?, ?, ?, ?)")) {
        for (int i = 1; i <= instances; i++) {
          insert.setLong(1, i);
          insert.setBytes(2, hash);
          insert.setBytes(3, row);
          insert.executeUpdate();
        }
        connection.commit();
        long position = 0;
        long warm = System.nanoTime() + millis * 200_000;
        long start = 0;
        long from = 0;
        long end = Long.MAX_VALUE;
        while (System.nanoTime() < end) {
          if (start == 0 && System.nanoTime() > warm) {
            start = System.nanoTime();
            from = position;
            end = start + millis * 1_000_000;
          }
          for (int i = 0; i < group; i++) {
            position++;
            long instance = 1L + random.nextInt(instances);
            update.setLong(1, position);
            update.setBytes(2, hash);
            update.setBytes(3, row);
            update.setLong(4, instance);
            update.executeUpdate();
            entry.setLong(1, position);
            entry.setLong(2, instance);
            entry.setLong(3, position);
            entry.setBytes(4, hash);
            entry.setBytes(5, body);
            entry.executeUpdate();
          }
          connection.commit();
        }
        return (position - from) / ((System.nanoTime() - start) / 1e9);
      }
    }
  }
}
