package dev.signalbox.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.journal.postgres.PostgresJournal;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal whose connections to PostgreSQL break. */
final class LostConnectionsTest extends JournalFixture {
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

  private static Appended append(Journal to, Change... changes) {
    return to.append(new Group(7, List.of(changes)));
  }

  @Test
  void ended_connections_are_replaced() throws Exception {
    InstanceRow row = created("r-1");
    for (int i = 2; i <= 6; i++) {
      server.endConnections();
      Change change = Change.of(row);
      row = step(change, row, "r-1:" + i, null);
      assertThat(append(journal, change).lost()).isEmpty();
    }
    assertSame(journal.load("r-1"), row);
    assertChainsHold(journal.groups(0, 10));
  }

  @Test
  void while_the_database_is_away_it_says_so_and_then_goes_on() throws Exception {
    InstanceRow row = created("r-1");
    InstanceRow other = created("r-2");
    Change change = Change.of(row);
    InstanceRow after = step(change, row, "r-1:2", null);
    Change beside = Change.of(other);
    step(beside, other, "r-2:2", null);
    server.stop();
    try {
      assertThatThrownBy(() -> append(journal, change, beside))
          .isInstanceOfSatisfying(
              JournalException.class, e -> assertThat(e.outcomeUnknown()).isFalse())
          .hasMessageContaining("can't be reached")
          .hasMessageContaining("see that it runs");
      assertThatThrownBy(() -> append(journal, change))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("can't be reached")
          .hasMessageContaining("see that it runs");
    } finally {
      server.startAgain();
    }
    assertThat(append(journal, change).lost()).isEmpty();
    assertSame(journal.load("r-1"), after);
    assertChainsHold(journal.groups(0, 10));
  }

  @Test
  void a_command_that_the_database_never_heard_is_sent_again() throws Exception {
    try (Relay relay = new Relay(server.port());
        Journal far = PostgresJournal.open(through(relay), null, null)) {
      InstanceRow row = created("r-1");
      relay.loseCommand("insert into entry");
      Change change = Change.of(row);
      InstanceRow after = step(change, row, "r-1:2", null);
      assertThat(append(far, change).lost()).isEmpty();
      assertThat(relay.isWaiting()).isFalse();
      assertSame(journal.load("r-1"), after);
      assertChainsHold(journal.groups(0, 10));
    }
  }

  @Test
  void a_commit_whose_answer_is_lost_is_unknown_and_never_done_twice() throws Exception {
    try (Relay relay = new Relay(server.port());
        Journal far = PostgresJournal.open(through(relay), null, null)) {
      InstanceRow row = created("r-1");
      relay.loseAnswerTo("insert into entry");
      Change change = Change.of(row);
      InstanceRow after = step(change, row, "r-1:2", null);
      assertThatThrownBy(() -> append(far, change))
          .isInstanceOfSatisfying(
              JournalException.class, e -> assertThat(e.outcomeUnknown()).isTrue())
          .hasMessageContaining("Read to see whether it happened");
      assertThat(relay.isWaiting()).isFalse();
      assertSame(journal.load("r-1"), after);
      Change next = Change.of(after);
      step(next, after, "r-1:3", null);
      assertThat(append(far, next).lost()).isEmpty();
      List<CommittedGroup> groups = journal.groups(0, 10);
      assertThat(groups).extracting(g -> g.entries().size()).containsExactly(1, 1, 1);
      assertChainsHold(groups);
    }
  }

  private String through(Relay relay) {
    return url.replace(":" + server.port() + "/", ":" + relay.port() + "/");
  }

  @Test
  void an_address_that_leads_nowhere_is_told_without_its_parameters() {
    assertThatThrownBy(
            () -> PostgresJournal.open("jdbc:postgresql://localhost:1/x?password=s", null, null))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("localhost:1/x")
        .hasMessageContaining("can't be reached")
        .hasMessageNotContaining("password=");
    assertThatThrownBy(() -> PostgresJournal.open("jdbc:mysql://localhost/x", null, null))
        .isInstanceOf(JournalException.class)
        .hasMessageContaining("jdbc:postgresql://");
  }
}
