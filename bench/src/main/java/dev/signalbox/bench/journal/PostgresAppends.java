package dev.signalbox.bench.journal;

import dev.signalbox.bench.BenchServer;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.postgres.PostgresJournal;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The journal alone on PostgreSQL, beside the bare loop, in turns: {@code PostgresAppends [ROUNDS
 * [SECONDS]]}. Steps move instances through the same configurations again and again; lives begin an
 * instance, take it through six configurations with a deadline each, and begin the next. Both are
 * measured with one append at a time and with two.
 */
public final class PostgresAppends {
  private static final int INSTANCES = 1_024;
  private static final int GROUP = 500;
  private static final int ROW_BYTES = 200;
  private static final int ENTRY_BYTES = 300;
  private static final int LIFE = 7;

  private final Journal journal;
  private final boolean lives;
  private final Hashing hashing = new Hashing();
  private final Random random = new Random(1);
  private final List<InstanceRow> rows = new ArrayList<>();
  private final long[] configurations = new long[LIFE];
  private final long machine;
  private int next;

  private PostgresAppends(Journal journal, boolean lives) {
    this.journal = journal;
    this.lives = lives;
    this.machine =
        journal.publish(new PublishedMachine(0, "run", 1, "d", "machine: run", 0)).number();
    for (int i = 0; i < LIFE; i++) {
      configurations[i] = journal.configuration(machine, List.of("S" + i), List.of("S" + i));
    }
    List<Change> births = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      Change birth = birth();
      births.add(birth);
      rows.add(birth.after());
    }
    journal.append(new Group(0, births));
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    long millis = args.length > 1 ? 1_000L * Integer.parseInt(args[1]) : 5_000;
    try (EmbeddedPostgres server = BenchServer.start(false)) {
      try (Connection admin = DriverManager.getConnection(url(server, "postgres"));
          Statement statement = admin.createStatement()) {
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
          try (ResultSet value = statement.executeQuery("show " + setting)) {
            value.next();
            System.out.println(setting + " " + value.getString(1));
          }
        }
        for (String name : List.of("raw", "steps", "lives")) {
          statement.execute("create database " + name);
        }
      }
      measure(server, rounds, millis);
    }
  }

  private static void measure(EmbeddedPostgres server, int rounds, long millis) throws Exception {
    try (RawPostgres raw =
            new RawPostgres(url(server, "raw"), INSTANCES, GROUP, ROW_BYTES, ENTRY_BYTES);
        Journal steps = PostgresJournal.open(url(server, "steps"), null, null);
        Journal lives = PostgresJournal.open(url(server, "lives"), null, null)) {
      List<PostgresAppends> stepping = lanes(steps, false);
      List<PostgresAppends> living = lanes(lives, true);
      double[] sums = new double[5];
      for (int round = 0; round <= rounds; round++) {
        double[] found = {
          raw.perSecond(millis),
          together(stepping.subList(0, 1), millis),
          together(stepping, millis),
          together(living.subList(0, 1), millis),
          together(living, millis)
        };
        print("%,7.0f/s", found);
        for (int i = 0; i < sums.length && round > 0; i++) {
          sums[i] += found[i];
        }
      }
      print("%7.0f %%", Arrays.stream(sums).map(sum -> 100 * sum / sums[0]).toArray());
    }
  }

  private static void print(String number, double[] found) {
    String[] names = {"raw", "steps", "steps by two", "lives", "lives by two"};
    for (int i = 0; i < names.length; i++) {
      System.out.printf(Locale.ROOT, names[i] + " " + number + "   ", found[i]);
    }
    System.out.println();
  }

  private static List<PostgresAppends> lanes(Journal journal, boolean lives) {
    return List.of(new PostgresAppends(journal, lives), new PostgresAppends(journal, lives));
  }

  private static double together(List<PostgresAppends> lanes, long millis) throws Exception {
    double sum = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes.size())) {
      List<Future<Double>> found = new ArrayList<>();
      for (PostgresAppends lane : lanes) {
        found.add(threads.submit(() -> lane.perSecond(millis)));
      }
      for (Future<Double> each : found) {
        sum += each.get();
      }
    }
    return sum;
  }

  private static String url(EmbeddedPostgres server, String database) {
    return server.getJdbcUrl("postgres", database);
  }

  /** Only the append is timed: making and hashing the entries is other threads' work. */
  private double perSecond(long millis) {
    long spent = 0;
    long count = 0;
    while (spent < millis * 1_000_000) {
      List<Change> changes = new ArrayList<>(GROUP);
      for (int i = 0; i < GROUP; i++) {
        next = (next + 1) % INSTANCES;
        InstanceRow row = rows.get(next);
        Change change = lives && row.sequence() == LIFE ? birth() : step(row);
        rows.set(next, change.after());
        changes.add(change);
      }
      long start = System.nanoTime();
      boolean complete = journal.append(new Group(count, changes)).lost().isEmpty();
      spent += System.nanoTime() - start;
      if (!complete) {
        throw new IllegalStateException("Nobody else writes, so nothing can be lost.");
      }
      count += GROUP;
    }
    return count / (spent / 1e9);
  }

  private Change birth() {
    Change change = Change.creation();
    long number = journal.reserve(1);
    write(change, number, "run-" + number, 0, Hashing.origin(), InstanceRow.NEVER);
    return change;
  }

  private Change step(InstanceRow before) {
    Change change = Change.of(before);
    long sequence = before.sequence();
    boolean last = sequence == LIFE - 1;
    long due = !lives || last ? InstanceRow.NEVER : 1_000_000 + 1_000 * sequence;
    write(change, before.number(), before.id(), sequence, before.head(), due);
    return change;
  }

  private void write(Change change, long number, String id, long sequence, byte[] head, long due) {
    byte[] body = new byte[ENTRY_BYTES];
    byte[] snapshot = new byte[ROW_BYTES];
    random.nextBytes(body);
    random.nextBytes(snapshot);
    byte[] hash = hashing.chain(head, body);
    change.entries().add(new NewEntry(Chain.STEPS, sequence + 1, hash, body, null));
    boolean over = lives && sequence == LIFE - 1;
    change.after(
        new InstanceRow(
            number,
            id,
            machine,
            null,
            configurations[(int) (sequence % LIFE)],
            over ? InstanceRow.Status.ENDED : InstanceRow.Status.LIVE,
            sequence + 1,
            hash,
            0,
            Hashing.origin(),
            sequence,
            sequence,
            due,
            snapshot));
  }
}
