package dev.signalbox.bench.journal;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Random;

/**
 * What PostgreSQL does at most: one statement for a group, which takes arrays, updates an instance
 * row and inserts a journal row for each of their elements; every commit flushed.
 */
final class RawPostgres implements AutoCloseable {
  private final Connection connection;
  private final PreparedStatement step;
  private final Random random = new Random(1);
  private final int instances;
  private final long[] numbers;
  private final byte[][] hashes;
  private final byte[][] rows;
  private final byte[][] bodies;
  private long position;

  /** Makes its tables in a database that has none yet. */
  RawPostgres(String url, int instances, int group, int rowBytes, int entryBytes)
      throws SQLException {
    this.instances = instances;
    this.numbers = new long[group];
    this.hashes = filled(group, 32);
    this.rows = filled(group, rowBytes);
    this.bodies = filled(group, entryBytes);
    this.connection = DriverManager.getConnection(url);
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table instance (number bigint primary key, sequence bigint, head bytea,"
              + " snapshot bytea) with (fillfactor = 70)");
      statement.execute(
          "create table entry (position bigint primary key, instance bigint, sequence bigint,"
              + " hash bytea, body bytea)");
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            "insert into instance select n, 0, ?, ? from generate_series(1, ?) n")) {
      insert.setBytes(1, hashes[0]);
      insert.setBytes(2, rows[0]);
      insert.setInt(3, instances);
      insert.executeUpdate();
    }
    try (Statement statement = connection.createStatement()) {
      statement.execute("vacuum analyze");
    }
    connection.setAutoCommit(false);
    this.step =
        connection.prepareStatement(
            "with p as (select * from unnest(?::bigint[], ?::bytea[], ?::bytea[], ?::bytea[]) with"
                + " ordinality as p (number, hash, snapshot, body, place)), w as (update instance i"
                + " set sequence = sequence + 1, head = p.hash, snapshot = p.snapshot from p where"
                + " i.number = p.number returning i.number, i.sequence, p.hash, p.body, p.place)"
                + " insert into entry select ? + place, number, sequence, hash, body from w");
  }

  private byte[][] filled(int count, int size) {
    byte[][] all = new byte[count][size];
    Arrays.stream(all).forEach(random::nextBytes);
    return all;
  }

  /** Pairs of rows a second. */
  double perSecond(long millis) throws SQLException {
    long start = System.nanoTime();
    long from = position;
    while (System.nanoTime() - start < millis * 1_000_000) {
      commit();
    }
    return (position - from) / ((System.nanoTime() - start) / 1e9);
  }

  private void commit() throws SQLException {
    int first = random.nextInt(instances);
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = 1L + (first + i) % instances;
    }
    Arrays.sort(numbers);
    step.setObject(1, numbers);
    step.setObject(2, hashes);
    step.setObject(3, rows);
    step.setObject(4, bodies);
    step.setLong(5, position);
    step.executeUpdate();
    connection.commit();
    position += numbers.length;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
