package dev.signalbox.journal.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.journal.PostgresServer;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What the journal on PostgreSQL needs besides its appends: a swept table, and connections that
 * keep their settings.
 */
final class PostgresUpkeepTest {
  @TempDir static Path folder;
  private static PostgresServer server;
  private final Hashing hashing = new Hashing();
  private PostgresJournal journal;
  private String url;
  private Connection connection;
  private long machine;
  private long waiting;
  private long working;

  @BeforeAll
  static void started() throws Exception {
    server = new PostgresServer(folder);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @BeforeEach
  void opened() throws Exception {
    url = server.newDatabase();
    connection = DriverManager.getConnection(url);
    journal = PostgresJournal.open(url, null, null);
    machine = journal.publish(new PublishedMachine(0, "run", 1, "d", "machine: run", 0)).number();
    waiting = journal.configuration(machine, List.of("W"), List.of("W"));
    working = journal.configuration(machine, List.of("X"), List.of("X"));
  }

  @AfterEach
  void closed() throws Exception {
    journal.close();
    connection.close();
  }

  /** Since when instances stand where they come to. */
  private long since;

  private Change born(String id) {
    Change change = Change.creation();
    write(change, journal.reserve(1), id, 0, Hashing.origin(), waiting);
    return change;
  }

  private Change moved(InstanceRow row, long configuration) {
    Change change = Change.of(row);
    write(change, row.number(), row.id(), row.sequence(), row.head(), configuration);
    return change;
  }

  private void write(
      Change change, long number, String id, long sequence, byte[] head, long configuration) {
    byte[] body = {1, 2, 3};
    byte[] hash = hashing.chain(head, body);
    change.entries().add(new NewEntry(Chain.STEPS, sequence + 1, hash, body, null));
    change.after(
        new InstanceRow(
            number,
            id,
            machine,
            null,
            configuration,
            InstanceRow.Status.LIVE,
            sequence + 1,
            hash,
            0,
            Hashing.origin(),
            since,
            since,
            InstanceRow.NEVER,
            body));
  }

  private List<InstanceRow> append(List<Change> changes) {
    assertThat(journal.append(new Group(0, changes)).lost()).isEmpty();
    return changes.stream().map(Change::after).toList();
  }

  private List<InstanceRow> population(int count) {
    List<Change> births = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      births.add(born("r-" + i));
    }
    return append(births);
  }

  private List<Long> in(String state) {
    List<Long> found = new ArrayList<>();
    long after = 0;
    List<InstanceRow> page = journal.query(Query.ALL.in(state).page(after, 7));
    while (!page.isEmpty()) {
      page.forEach(row -> found.add(row.number()));
      page = journal.query(Query.ALL.in(state).page(page.getLast().number(), 7));
    }
    return found;
  }

  private static List<Long> standing(List<InstanceRow> rows, long configuration) {
    return rows.stream()
        .filter(row -> row.configuration() == configuration)
        .map(InstanceRow::number)
        .toList();
  }

  private String rows() throws Exception {
    return PostgresServer.value(
        connection,
        "select string_agg(c.leaves, ' ' order by s.block, c.leaves) from standing s"
            + " join configuration c on c.number = s.configuration");
  }

  @Test
  void what_a_whole_block_left_is_swept_away_and_comes_back_with_the_first_instance()
      throws Exception {
    List<InstanceRow> rows = population(3);
    rows = append(rows.stream().map(row -> moved(row, working)).toList());
    assertThat(rows()).isEqualTo("[\"W\"] [\"X\"]");
    assertThat(in("W")).isEmpty();
    assertThat(journal.sweep()).isFalse();
    assertThat(rows()).isEqualTo("[\"X\"]");
    assertThat(in("X")).isEqualTo(standing(rows, working));
    append(List.of(moved(rows.getFirst(), waiting)));
    assertThat(in("W")).containsExactly(rows.getFirst().number());
    assertThat(journal.sweep()).isFalse();
    assertThat(rows()).isEqualTo("[\"W\"] [\"X\"]");
  }

  @Test
  void who_came_back_to_a_state_stands_there_since_then_and_its_first_stay_is_swept_away()
      throws Exception {
    List<InstanceRow> rows = population(2);
    rows = append(rows.stream().map(row -> moved(row, working)).toList());
    since = Duration.ofDays(1).toMillis();
    append(rows.subList(0, 1).stream().map(row -> moved(row, waiting)).toList());
    Query old = Query.ALL.inStateSinceBefore(since);
    assertThat(journal.query(old.in("W"))).isEmpty();
    assertThat(journal.query(old))
        .extracting(InstanceRow::number)
        .containsExactly(rows.getLast().number());
    assertThat(in("W")).containsExactly(rows.getFirst().number());
    assertThat(rows()).isEqualTo("[\"W\"] [\"W\"] [\"X\"]");
    assertThat(journal.sweep()).isFalse();
    assertThat(rows()).isEqualTo("[\"W\"] [\"X\"]");
    assertThat(in("W")).containsExactly(rows.getFirst().number());
  }

  @Test
  void instances_of_a_store_that_knew_no_periods_are_found_by_where_they_stand() throws Exception {
    since = Duration.ofDays(1).toMillis();
    List<InstanceRow> rows = population(70);
    journal.close();
    try (Statement statement = connection.createStatement()) {
      statement.execute("delete from flyway_schema_history where version in ('8', '9')");
      statement.execute("alter table effect drop column unbegun");
      statement.execute("alter table standing drop constraint standing_pkey, drop column period");
      statement.execute("alter table standing add primary key (configuration, block)");
    }
    journal = PostgresJournal.open(url, null, null);
    assertThat(in("W")).isEqualTo(standing(rows, waiting));
    assertThat(journal.query(Query.ALL.inStateSinceBefore(since))).isEmpty();
    assertThat(journal.query(Query.ALL.inStateSinceBefore(since + 1))).hasSize(70);
  }

  @Test
  void an_instance_that_moves_while_it_sweeps_is_found() throws Exception {
    List<InstanceRow> rows = population(130);
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<Integer> sweeping =
          thread.submit(() -> {
            int sweeps = 0;
            while (!over.get()) {
              journal.sweep();
              sweeps++;
            }
            return sweeps;
          });
      for (int i = 0; i < 200; i++) {
        long target = i % 2 == 0 ? working : waiting;
        rows = append(rows.stream().map(row -> moved(row, target)).toList());
        assertThat(in(i % 2 == 0 ? "X" : "W")).isEqualTo(standing(rows, target));
      }
      over.set(true);
      assertThat(sweeping.get()).isPositive();
    }
  }

  @Test
  void what_a_writer_relies_on_outlives_its_first_rollback() throws Exception {
    String url = server.newDatabase();
    try (Connection admin = DriverManager.getConnection(url);
        Statement statement = admin.createStatement()) {
      String name = PostgresServer.value(admin, "select current_database()");
      statement.execute("alter database " + name + " set synchronous_commit = off");
    }
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(url);
    try (Connections connections = new Connections(database);
        Connection writer = connections.writer()) {
      writer.rollback();
      assertThat(PostgresServer.value(writer, "show synchronous_commit")).isEqualTo("on");
      assertThat(PostgresServer.value(writer, "show plan_cache_mode"))
          .isEqualTo("force_generic_plan");
    }
  }
}
