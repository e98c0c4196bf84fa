package dev.signalbox.journal.postgres;

import dev.signalbox.journal.Appended;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Checkpoint;
import dev.signalbox.journal.CommittedEntry;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.Count;
import dev.signalbox.journal.Due;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Group;
import dev.signalbox.journal.GroupHead;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceKey;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.PublishedMachine;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Sorted;
import dev.signalbox.journal.Sorting;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.journal.Turn;
import dev.signalbox.journal.sql.Archiving;
import dev.signalbox.journal.sql.EffectTaking;
import dev.signalbox.journal.sql.Rows;
import dev.signalbox.journal.sql.Seals;
import dev.signalbox.journal.sql.Selection;
import dev.signalbox.kernel.CanonicalJson;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The journal in a PostgreSQL database, from version 13. Each node opens one; all of them may write
 * every instance.
 */
public final class PostgresJournal implements Journal {
  /** Held, because a logger that nobody holds forgets its level. */
  private static final Logger FLYWAY = Logger.getLogger("org.flywaydb");

  private static final int CONNECT_SECONDS = 5;

  /**
   * What the address may say otherwise. An answer that takes longer than the socket's timeout does
   * not come any more: the network lost it. A transaction that nobody goes on with is that of a
   * node which is cut off: the database ends it, or its locks would hold the others up.
   */
  private static final Map<String, String> SETTINGS =
      Map.of(
          "ApplicationName", "signalbox",
          "connectTimeout", String.valueOf(CONNECT_SECONDS),
          "socketTimeout", "60",
          "tcpKeepAlive", "true",
          "prepareThreshold", "1",
          "options", "-c idle_in_transaction_session_timeout=10s");

  private final Connections connections;
  private final Writers writers;
  private final Numbers numbers;
  private final StandingSweeper sweeper;
  private final Keys keys;
  private final Map<ConfigurationKey, Long> configurations = new ConcurrentHashMap<>();

  private PostgresJournal(Connections connections) {
    this.connections = connections;
    this.writers = new Writers(connections);
    this.numbers = new Numbers(connections);
    this.sweeper = new StandingSweeper(connections);
    this.keys = new Keys(connections);
  }

  private record ConfigurationKey(long machine, List<String> leaves) {}

  /**
   * Opens the journal in a database, or makes it there.
   *
   * @param url begins with {@code jdbc:postgresql:}; its parameters go before what is set here
   * @param user null when the address names the user, or the system's user is meant
   * @throws JournalException when the database can't be used, or its tables are not a journal's
   */
  public static PostgresJournal open(String url, @Nullable String user, @Nullable String password) {
    PGSimpleDataSource database = new PGSimpleDataSource();
    try {
      // The driver takes from an address only what was not set before.
      database.setUrl(url);
      for (Map.Entry<String, String> setting : SETTINGS.entrySet()) {
        if (!isGiven(url, setting.getKey())) {
          database.setProperty(setting.getKey(), setting.getValue());
        }
      }
    } catch (IllegalArgumentException | SQLException e) {
      throw new JournalException(
          "Expected the address of a PostgreSQL database, such as"
              + " jdbc:postgresql://localhost:5432/signalbox, but found '%s'."
                  .formatted(withoutParameters(url)),
          e);
    }
    if (user != null) {
      database.setUser(user);
    }
    if (password != null) {
      database.setPassword(password);
    }
    return open(database, withoutParameters(url));
  }

  /** Opens the journal in the database that the connections lead to, or makes it there. */
  public static PostgresJournal open(DataSource database) {
    return open(database, "the database");
  }

  private static PostgresJournal open(DataSource database, String name) {
    migrate(database, name);
    Connections connections = new Connections(database);
    try {
      PostgresJournal journal = new PostgresJournal(connections);
      journal.continueNumbers();
      journal.sweeper.start();
      return journal;
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  private static void migrate(DataSource database, String name) {
    FLYWAY.setLevel(Level.WARNING);
    try (Connection connection = database.getConnection()) {
      connection.isValid(CONNECT_SECONDS);
      Flyway.configure()
          .dataSource(database)
          .locations("classpath:dev/signalbox/journal/postgres")
          .load()
          .migrate();
    } catch (SQLException e) {
      throw Faults.of("open " + name, e);
    } catch (FlywayException e) {
      throw new JournalException(
          "Expected %s to hold a journal or nothing, but: %s".formatted(name, e.getMessage()), e);
    }
  }

  private static boolean isGiven(String url, String parameter) {
    return url.contains("?" + parameter + "=") || url.contains("&" + parameter + "=");
  }

  /** Parameters may hold a password. */
  private static String withoutParameters(String url) {
    int end = url.indexOf('?');
    return end < 0 ? url : url.substring(0, end);
  }

  /**
   * Makes sure that the next group's number is above every other. It is not when the tables came
   * from a cluster that had seen more transactions than this one. So it is with the numbers that
   * are reserved, where the keys are newer than what was restored beside them.
   */
  private void continueNumbers() {
    int _ =
        connections.run(
            "see where the reserved numbers stand",
            c ->
                Connections.update(
                    c,
                    "update store set reserved = m.number from (select greatest((select"
                        + " max(instance) from instance_key), (select max(number) from instance),"
                        + " (select max(number) from tombstone)) as number) m where m.number >"
                        + " store.reserved"));
    int _ =
        connections.run(
            "see where the groups' numbers stand",
            c ->
                Connections.update(
                    c,
                    "update store set base = m.number from (select coalesce(max(number), 0) as"
                        + " number from commit_group) m where m.number >= store.base +"
                        + " pg_current_xact_id()::text::bigint"));
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public long now() {
    return connections.read(
        "ask for the time",
        c -> new Selection("select " + Reader.NOW).list(c, row -> row.getLong(1)).getFirst());
  }

  @Override
  public long reserve(int count) {
    return numbers.reserve(count);
  }

  @Override
  public void checkWritable() {
    int _ =
        connections.run(
            "see whether it can be written",
            c -> Connections.update(c, "update store set reserved = reserved"));
  }

  @Override
  public PublishedMachine publish(PublishedMachine machine) {
    return connections.run(
        "publish a machine",
        c -> {
          Connections.update(
              c,
              "insert into machine (name, version, digest, definition, at) values (?, ?, ?, ?, ?)"
                  + " on conflict do nothing",
              machine.name(),
              machine.version(),
              machine.digest(),
              machine.definition(),
              machine.at());
          return new Selection(
                  "select " + Rows.MACHINE + " from machine where name = ? and version = ?",
                  machine.name(),
                  machine.version())
              .list(c, Rows::machine)
              .getFirst();
        });
  }

  @Override
  public List<PublishedMachine> machines() {
    return connections.read("list machines", Reader::machines);
  }

  @Override
  public int newestVersion(String machine) {
    return connections.read("find a machine", c -> Reader.newestVersion(c, machine));
  }

  @Override
  public long configuration(long machine, List<String> leaves, List<String> states) {
    ConfigurationKey key = new ConfigurationKey(machine, List.copyOf(leaves));
    Long known = configurations.get(key);
    if (known == null) {
      known = note(machine, leaves, states);
      configurations.put(key, known);
    }
    return known;
  }

  private long note(long machine, List<String> leaves, List<String> states) {
    String text = CanonicalJson.text(leaves);
    byte[] digest = new Hashing().chain(Hashing.origin(), text.getBytes(StandardCharsets.UTF_8));
    return connections.run(
        "note a configuration",
        c -> {
          Connections.update(
              c,
              "insert into configuration (machine, digest, leaves, states) values (?, ?, ?,"
                  + " ?::jsonb) on conflict do nothing",
              machine,
              digest,
              text,
              CanonicalJson.text(states));
          return new Selection(
                  "select number from configuration where machine = ? and digest = ?",
                  machine,
                  digest)
              .list(c, row -> row.getLong(1))
              .getFirst();
        });
  }

  @Override
  public Appended append(Group group) {
    return writers.append(group);
  }

  @Override
  public Turn turn(long instance) {
    return writers.turn(instance);
  }

  @Override
  public @Nullable InstanceRow load(String id) {
    return connections.read("load an instance", c -> Reader.load(c, id));
  }

  @Override
  public @Nullable InstanceRow load(long number) {
    return connections.read("load an instance", c -> Reader.load(c, number));
  }

  @Override
  public List<InstanceRow> load(Collection<Long> numbers) {
    return connections.read("read instances", c -> Reader.load(c, numbers));
  }

  @Override
  public List<EntryRow> allKeyed(long instance, String key) {
    return connections.read("find a key", c -> Reader.allKeyed(c, instance, key));
  }

  @Override
  public @Nullable List<String> keys(long instance, int most) {
    return connections.read("list keys", c -> Reader.keys(c, instance, most));
  }

  @Override
  public List<EntryRow> history(long instance, Chain chain, long from, int most) {
    return connections.read("read a history", c -> Reader.history(c, instance, chain, from, most));
  }

  @Override
  public List<EntryRow> newest(Collection<Long> instances) {
    return connections.read("read newest entries", c -> Reader.newest(c, instances));
  }

  @Override
  public void eachDue(Consumer<Due> consumer) {
    boolean _ =
        connections.inTransaction(
            "list what is due",
            c -> {
              Reader.eachDue(c, consumer);
              return true;
            });
  }

  @Override
  public List<Due> due(long until, int most) {
    return connections.read("list what is due", c -> Reader.due(c, until, most));
  }

  @Override
  public List<EffectRow> claim(String owner, Collection<String> names, long lease, int most) {
    List<EffectRow> claimed =
        new ArrayList<>(
            connections.run(
                "take effects",
                c ->
                    new Selection(
                            "with free as (select number from effect where due <= "
                                + Reader.NOW
                                + " and name = any (?::text[]) order by number limit ? for update"
                                + " skip locked) update effect set "
                                + EffectTaking.TAKEN
                                + ", owner = ?, due = "
                                + Reader.NOW
                                + " + ? where number in (select number from free) returning "
                                + Rows.EFFECT,
                            names.toArray(String[]::new),
                            most,
                            owner,
                            lease)
                        .list(c, Rows::effect)));
    claimed.sort(Comparator.comparingLong(EffectRow::number));
    return claimed;
  }

  @Override
  public @Nullable EffectRow effect(long number) {
    return connections.read("find an effect", c -> Reader.effect(c, number));
  }

  @Override
  public List<EffectRow> effects(long after, int most) {
    return connections.read(
        "list effects", c -> Selection.effects(after, most).list(c, Rows::effect));
  }

  @Override
  public boolean postpone(long effect, long fence, long due, boolean released) {
    return connections.run(
        "postpone an effect",
        c ->
            Connections.update(
                    c,
                    "update effect set due = ?"
                        + (released ? ", owner = null" : "")
                        + " where number = ? and fence = ?",
                    due,
                    effect,
                    fence)
                == 1);
  }

  @Override
  public List<Lease> begin(Collection<Lease> leases) {
    if (leases.isEmpty()) {
      return List.of();
    }
    Set<Long> begun =
        new HashSet<>(
            connections.inTransaction(
                "begin effects",
                c -> held(leases, EffectTaking.BEGUN).list(c, row -> row.getLong(1))));
    return leases.stream().filter(l -> !begun.contains(l.effect())).toList();
  }

  /** Changes those of the effects that are still their holders', in the order of their numbers. */
  private static Selection held(Collection<Lease> leases, String set, Object... values) {
    return new Selection(
            "with held as (select e.number from effect e join"
                + " unnest(?::bigint[], ?::bigint[]) as l (number, fence)"
                + " on e.number = l.number and e.fence = l.fence order by e.number"
                + " for update of e) update effect set "
                + set,
            leases.stream().mapToLong(Lease::effect).toArray(),
            leases.stream().mapToLong(Lease::fence).toArray())
        .add(" where number in (select number from held) returning number", values);
  }

  @Override
  public List<Lease> renew(Collection<Lease> leases, long lease) {
    Set<Long> renewed =
        new HashSet<>(
            connections.run(
                "renew leases",
                c ->
                    held(leases, "due = " + Reader.NOW + " + ?", lease)
                        .list(c, row -> row.getLong(1))));
    return leases.stream().filter(l -> !renewed.contains(l.effect())).toList();
  }

  @Override
  public List<MessageRow> messages(long after, int most) {
    return connections.read("list messages", c -> Reader.messages(c, after, most));
  }

  @Override
  public List<MessageRow> deliverable(long after, int most) {
    return connections.read(
        "list messages", c -> Selection.deliverable(after, most).list(c, Rows::message));
  }

  @Override
  public @Nullable MessageRow message(long number) {
    return connections.read("find a message", c -> Reader.message(c, number));
  }

  @Override
  public List<InstanceRow> query(Query query) {
    return connections.read("query instances", c -> Reader.query(c, query));
  }

  @Override
  public Sorted sorted(Query query, Sorting sorting) {
    return connections.read("sort instances", c -> Reader.sorted(c, query, sorting));
  }

  @Override
  public List<Count> counts() {
    return connections.read("count instances", Reader::counts);
  }

  @Override
  public List<Long> misplaced(int most) {
    return connections.read("look for misplaced entries", c -> Reader.misplaced(c, most));
  }

  @Override
  public List<CommittedGroup> groups(long after, int most) {
    return connections.read("read groups", c -> Reader.groups(c, after, most));
  }

  @Override
  public List<CommittedEntry> entries(long after, int most) {
    return connections.read("read entries", c -> Reader.entries(c, after, most));
  }

  @Override
  public long end() {
    return connections.read("find the newest entry", Reader::end);
  }

  /** Does at once what happens once in a while. */
  boolean sweep() {
    return sweeper.sweep();
  }

  @Override
  public List<Tombstone> archive(List<Tombstone> tombstones) {
    return connections.inTransaction(
        "archive instances", c -> Archiving.archive(c, tombstones, " for update of i"));
  }

  @Override
  public List<Tombstone> tombstones(long after, int most) {
    return connections.read("list tombstones", c -> Archiving.tombstones(c, after, most));
  }

  @Override
  public boolean isPending(long instance, String id) {
    return connections.read("see what is pending", c -> Seals.isPending(c, instance, id));
  }

  @Override
  public void keepKeys(List<InstanceKey> given) {
    keys.keep(given);
  }

  @Override
  public byte @Nullable [] key(long instance) {
    return keys.key(instance);
  }

  @Override
  public void condemnKeys(Collection<Long> instances) {
    keys.condemn(instances);
  }

  @Override
  public List<Long> condemnedKeys() {
    return keys.condemned();
  }

  @Override
  public void destroyKeys(Collection<Long> instances) {
    keys.destroy(instances);
  }

  @Override
  public List<GroupHead> heads() {
    return writers.heads();
  }

  @Override
  public void keepCheckpoint(byte[] text) {
    boolean _ =
        connections.inTransaction(
            "keep a checkpoint",
            c -> {
              Seals.keepCheckpoint(c, text);
              return true;
            });
  }

  @Override
  public @Nullable Checkpoint newestCheckpoint() {
    return connections.read("find the newest checkpoint", Seals::newestCheckpoint);
  }

  @Override
  public List<Checkpoint> checkpoints(long after, int most) {
    return connections.read("list checkpoints", c -> Seals.checkpoints(c, after, most));
  }

  @Override
  public void close() {
    sweeper.close();
    connections.close();
  }
}
