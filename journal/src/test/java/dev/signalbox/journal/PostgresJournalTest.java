package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.postgres.PostgresJournal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PostgresJournalTest extends JournalContract {
  @TempDir static Path folder;
  private static PostgresServer server;
  private String url = "";

  @BeforeAll
  static void started() throws Exception {
    server = new PostgresServer(folder);
  }

  @AfterAll
  static void stopped() throws Exception {
    server.close();
  }

  @Override
  Journal open() throws Exception {
    url = server.newDatabase();
    return another();
  }

  private Journal another() {
    return PostgresJournal.open(url, null, null);
  }

  @Override
  Journal reopen(Journal open) {
    open.close();
    return another();
  }

  private static InstanceRow there(Journal in, String id) {
    return Objects.requireNonNull(in.load(id));
  }

  private static Appended append(Journal to, Change... changes) {
    return to.append(new Group(7, List.of(changes)));
  }

  @Test
  void what_the_address_says_goes_before_the_defaults() throws Exception {
    try (Journal named = PostgresJournal.open(url + "&ApplicationName=night", null, null)) {
      assertThat(named.machines()).hasSize(1);
      assertThat(
              server.value(
                  "select count(*) > 0 from pg_stat_activity where application_name = 'night'"))
          .isEqualTo("t");
    }
  }

  /** Runs the tasks at the same time. */
  private static <T> List<T> together(List<Callable<T>> tasks) throws Exception {
    List<T> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
      for (Future<T> result : threads.invokeAll(tasks)) {
        results.add(result.get());
      }
    }
    return results;
  }

  @Test
  void of_two_nodes_exactly_one_wins_each_race() throws Exception {
    int instances = 20;
    int wins = 50;
    for (int i = 0; i < instances; i++) {
      created("r-" + i);
    }
    AtomicInteger won = new AtomicInteger();
    try (Journal other = another()) {
      List<Callable<Integer>> nodes = new ArrayList<>();
      for (Journal node : List.of(journal, other)) {
        nodes.add(() -> race(node, instances, wins, won));
      }
      int written = together(nodes).stream().mapToInt(Integer::intValue).sum();
      assertThat(written).isEqualTo(won.get()).isGreaterThanOrEqualTo(instances * wins);
    }
    int entries = 0;
    for (int i = 0; i < instances; i++) {
      InstanceRow row = there(journal, "r-" + i);
      assertThat(journal.history(row.number(), Chain.STEPS, 1, 10_000))
          .hasSize((int) row.sequence());
      entries += (int) row.sequence();
    }
    assertThat(entries).isEqualTo(instances + won.get());
    List<CommittedGroup> groups = journal.groups(0, 100_000);
    assertThat(groups.stream().mapToInt(g -> g.entries().size()).sum()).isEqualTo(entries);
    assertThat(groups.stream().map(CommittedGroup::writer).distinct().count()).isEqualTo(2);
    assertChainsHold(groups);
  }

  /** Moves all instances in groups, from what was read, until enough changes of all stood. */
  private int race(Journal node, int instances, int wins, AtomicInteger won) {
    JournalSteps steps = new JournalSteps();
    int mine = 0;
    while (won.get() < instances * wins) {
      List<Change> changes = new ArrayList<>();
      for (int i = instances - 1; i >= 0; i--) {
        changes.add(steps.next(there(node, "r-" + i)));
      }
      int stood = changes.size() - node.append(new Group(7, changes)).lost().size();
      mine += stood;
      won.addAndGet(stood);
    }
    return mine;
  }

  /** Steps made on a thread of their own: hashing is for one thread at a time. */
  private static final class JournalSteps {
    private final Hashing hashing = new Hashing();

    Change next(InstanceRow row) {
      Change change = Change.of(row);
      byte[] body = bytes("step " + row.sequence());
      byte[] hash = hashing.chain(row.head(), body);
      long sequence = row.sequence() + 1;
      change.entries().add(new NewEntry(Chain.STEPS, sequence, hash, body, null));
      change.after(moved(row, sequence, hash, row.due(), "x"));
      return change;
    }
  }

  @Test
  void appends_at_the_same_time_have_writers_of_their_own() throws Exception {
    int threads = 6;
    List<Callable<Integer>> tasks = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      InstanceRow first = created("r-" + t);
      tasks.add(() -> {
        JournalSteps steps = new JournalSteps();
        InstanceRow row = first;
        for (int i = 0; i < 20; i++) {
          Change change = steps.next(row);
          assertThat(append(journal, change).lost()).isEmpty();
          row = change.after();
        }
        return 20;
      });
    }
    together(tasks);
    List<CommittedGroup> groups = journal.groups(0, 1_000);
    assertThat(groups).hasSize(threads + threads * 20);
    assertChainsHold(groups);
  }

  @Test
  void an_effect_is_claimed_by_one_node_and_a_message_delivered_by_one() throws Exception {
    InstanceRow row = created("r-1");
    EffectRow[] effects = new EffectRow[200];
    for (int i = 0; i < effects.length; i++) {
      effects[i] = effect(row, "r-1#" + i, 0);
    }
    with(row, effects);
    try (Journal other = another()) {
      List<Callable<List<EffectRow>>> nodes = new ArrayList<>();
      for (Journal node : List.of(journal, other, journal, other)) {
        nodes.add(() -> {
          List<EffectRow> all = new ArrayList<>();
          List<EffectRow> some = node.claim("n", List.of("call"), 60_000, 7);
          while (!some.isEmpty()) {
            all.addAll(some);
            some = node.claim("n", List.of("call"), 60_000, 7);
          }
          return all;
        });
      }
      Set<Long> seen = new HashSet<>();
      for (List<EffectRow> claimed : together(nodes)) {
        claimed.forEach(e -> assertThat(seen.add(e.number())).isTrue());
      }
      assertThat(seen).hasSize(effects.length);
    }
  }

  @Test
  void a_message_that_two_nodes_deliver_is_delivered_by_one() throws Exception {
    InstanceRow sender = created("r-1");
    List<InstanceRow> recipients = List.of(created("r-2"), created("r-3"));
    try (Journal other = another()) {
      for (int i = 0; i < 30; i++) {
        MessageRow message = new MessageRow(journal.reserve(1), "r-1", "r-2", bytes("m"));
        Change sends = Change.of(sender);
        sender = step(sends, sender, "send " + i, null);
        sends.messages().add(message);
        append(journal, sends);
        List<Callable<Integer>> nodes = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
          Journal node = n == 0 ? journal : other;
          String id = recipients.get(n).id();
          nodes.add(() -> {
            Change change = new JournalSteps().next(there(node, id));
            change.delivered().add(message.number());
            return append(node, change).lost().size();
          });
        }
        assertThat(together(nodes)).containsExactlyInAnyOrder(0, 1);
      }
      long delivered =
          there(journal, "r-2").sequence() + there(journal, "r-3").sequence() - recipients.size();
      assertThat(delivered).isEqualTo(30);
      assertThat(journal.messages(0, 10)).isEmpty();
    }
  }

  @Test
  void a_reader_of_groups_waits_for_a_transaction_that_may_still_commit() throws Exception {
    created("r-1");
    assertThat(journal.groups(0, 10)).hasSize(1);
    try (Connection slow = DriverManager.getConnection(url);
        Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute("select pg_current_xact_id()");
      created("r-2");
      assertThat(journal.groups(0, 10)).hasSize(1);
      slow.commit();
    }
    assertThat(journal.groups(0, 10)).hasSize(2);
  }

  @Test
  void who_follows_waits_for_a_transaction_that_may_still_commit() throws Exception {
    created("r-1");
    long end = journal.end();
    try (Connection slow = DriverManager.getConnection(url);
        Statement statement = slow.createStatement()) {
      slow.setAutoCommit(false);
      statement.execute("select pg_current_xact_id()");
      created("r-2");
      assertThat(journal.entries(end, 10)).isEmpty();
      assertThat(journal.end()).isEqualTo(end);
      slow.commit();
    }
    assertThat(journal.entries(end, 10)).extracting(CommittedEntry::id).containsExactly("r-2");
    assertThat(journal.end()).isGreaterThan(end);
  }

  @Test
  void following_two_nodes_while_their_commits_interleave_skips_nothing_and_repeats_nothing()
      throws Exception {
    int instances = 8;
    int steps = 150;
    for (int i = 0; i < instances; i++) {
      created("r-" + i);
    }
    AtomicInteger writing = new AtomicInteger(instances);
    List<CommittedEntry> seen = new ArrayList<>();
    AtomicInteger pages = new AtomicInteger();
    try (Journal other = another()) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int i = 0; i < instances; i++) {
        String id = "r-" + i;
        Journal node = i % 2 == 0 ? journal : other;
        tasks.add(() -> {
          JournalSteps next = new JournalSteps();
          InstanceRow row = there(node, id);
          for (int s = 0; s < steps; s++) {
            Change change = next.next(row);
            assertThat(append(node, change).lost()).isEmpty();
            row = change.after();
          }
          return writing.decrementAndGet();
        });
      }
      tasks.add(() -> {
        long after = 0;
        while (true) {
          boolean over = writing.get() == 0;
          List<CommittedEntry> page = other.entries(after, 7);
          for (CommittedEntry entry : page) {
            assertThat(entry.row().position()).isGreaterThan(after);
            after = entry.row().position();
          }
          seen.addAll(page);
          if (!page.isEmpty()) {
            pages.incrementAndGet();
          } else if (over && after == other.end()) {
            return pages.get();
          }
        }
      });
      together(tasks);
    }
    assertThat(seen).hasSize(instances * (steps + 1));
    Map<String, Long> last = new HashMap<>();
    for (CommittedEntry entry : seen) {
      assertThat(entry.row().sequence()).isEqualTo(last.getOrDefault(entry.id(), 0L) + 1);
      last.put(entry.id(), entry.row().sequence());
    }
    assertThat(last.values()).containsOnly(steps + 1L);
    List<Long> groups =
        journal.groups(0, 10_000).stream()
            .flatMap(g -> g.entries().stream())
            .map(EntryRow::position)
            .toList();
    assertThat(seen).extracting(e -> e.row().position()).isEqualTo(groups);
  }

  @Test
  void group_numbers_go_on_in_a_cluster_with_fewer_transactions() throws Exception {
    created("r-1");
    journal.close();
    try (Connection moved = DriverManager.getConnection(url);
        Statement statement = moved.createStatement()) {
      statement.execute("update commit_group set number = number + 1000000");
      statement.execute("update entry set position = position + (1000000::bigint << 20)");
      statement.execute("update instance set newest = newest + (1000000::bigint << 20)");
    }
    journal = another();
    created("r-2");
    List<CommittedGroup> groups = journal.groups(0, 10);
    assertThat(groups).hasSize(2);
    assertThat(groups).extracting(g -> g.entries().size()).containsExactly(1, 1);
    assertThat(groups.get(1).number()).isGreaterThan(groups.get(0).number());
  }

  @Test
  void a_step_that_lost_alone_leaves_nothing_and_the_chain_goes_on() throws Exception {
    InstanceRow row = created("r-1");
    Change late = Change.of(row);
    step(late, row, "r-1: too late", null);
    Change change = Change.of(row);
    InstanceRow second = step(change, row, "r-1:2", null);
    assertThat(append(journal, change).lost()).isEmpty();
    assertThat(append(journal, late).lost()).containsExactly(late);
    Change again = Change.creation();
    step(again, born("r-1", ""), "another", null);
    assertThat(append(journal, again).lost()).containsExactly(again);
    assertSame(journal.load("r-1"), second);
    Change next = Change.of(second);
    step(next, second, "r-1:3", null);
    assertThat(append(journal, next).lost()).isEmpty();
    List<CommittedGroup> groups = journal.groups(0, 10);
    assertThat(groups).extracting(g -> g.entries().size()).containsExactly(1, 1, 1);
    assertChainsHold(groups);
  }

  @Test
  void an_instance_is_due_when_it_is_however_often_that_moved() {
    InstanceRow row = created("r-1");
    for (long due : new long[] {100, 50, 300, InstanceRow.NEVER, 200}) {
      Change change = Change.of(row);
      InstanceRow stepped = step(change, row, "due " + due, null);
      row = moved(stepped, stepped.sequence(), stepped.head(), due, "x");
      change.after(row);
      append(journal, change);
      assertThat(journal.due(due - 1, 10)).isEmpty();
      if (due != InstanceRow.NEVER) {
        assertThat(journal.due(due, 10)).containsExactly(new Due(row.number(), due));
      }
    }
  }

  @Test
  void text_that_the_database_does_not_take_is_kept_all_the_same() {
    String zero = "a\u0000b";
    String longer = "k".repeat(100_000);
    InstanceRow row = created("r-1");
    Change change = Change.of(row);
    row = step(change, row, "one", zero);
    step(change, row, "two", longer);
    change.search().put("short", zero);
    change.search().put("long", longer);
    append(journal, change);
    assertThat(Objects.requireNonNull(journal.keyed(row.number(), zero)).body())
        .isEqualTo("one".getBytes(StandardCharsets.UTF_8));
    assertThat(Objects.requireNonNull(journal.keyed(row.number(), longer)).key()).isEqualTo(longer);
    assertThat(journal.keys(row.number(), 2)).containsExactlyInAnyOrder(zero, longer);
    assertThat(ids(Query.ALL.with(Map.of("short", zero, "long", longer)))).containsExactly("r-1");
  }

  @Test
  void a_database_that_is_something_else_is_refused_and_left_alone() throws Exception {
    String address = server.newDatabase();
    try (Connection connection = DriverManager.getConnection(address);
        Statement statement = connection.createStatement()) {
      statement.execute("create table letter (body text)");
      assertThatThrownBy(() -> PostgresJournal.open(address, null, null))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("to hold a journal or nothing");
      assertThat(
              PostgresServer.value(
                  connection,
                  "select string_agg(tablename, ',') from pg_tables where schemaname = 'public'"))
          .isEqualTo("letter");
    }
  }
}
