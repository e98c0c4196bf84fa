package dev.signalbox.services.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reserving, settling and replenishing, on a real SQLite file. */
class BudgetsTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Actor OLGA = new Actor(Actor.Kind.USER, "olga", List.of("operator"));
  private static final Account SESSION =
      Account.of("session", Map.of("tokens", 1_000L, "calls", 10L));
  private static final Account AGENT = Account.of("session/agent", Map.of("tokens", 600L));
  private static final String OWNER =
      """
      machine: session
      states:
        ACTIVE: { waits: for work, on: { budget_exhausted: SUSPENDED } }
        SUSPENDED: { waits: for more, on: { budget_replenished: ACTIVE } }
      """;

  @TempDir Path folder;
  private final ManualClock clock = new ManualClock();
  private Signalbox box;
  private Budgets budgets;

  @BeforeEach
  void opened() {
    box = open();
    budgets = Budgets.on(box);
  }

  private Signalbox open() {
    return Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"), Settings.DEFAULT, clock);
  }

  @AfterEach
  void everything_is_in_the_journal_and_replays() {
    assertThat(Audit.verify(box.journal(), _ -> {}).findings()).isEmpty();
    box.close();
  }

  private Grant.Reserved reserved(String id, String account, long tokens) {
    return (Grant.Reserved) budgets.reserve(id, account, Map.of("tokens", tokens), MINUTE);
  }

  private Grant.Reason refused(String id, String account, long tokens) {
    Grant grant = budgets.reserve(id, account, Map.of("tokens", tokens), MINUTE);
    return ((Grant.Refused) grant).reason();
  }

  private List<Map<?, ?>> records(String id, String kind) throws Exception {
    List<Map<?, ?>> found = new ArrayList<>();
    for (EntryRow entry : box.history(id, 1, 1_000)) {
      Map<?, ?> body = (Map<?, ?>) Json.parse(new String(entry.body(), StandardCharsets.UTF_8));
      if (body != null && body.get("records") instanceof List<?> records) {
        for (Object item : records) {
          Map<?, ?> one = (Map<?, ?>) item;
          if (kind.equals(one.get("kind")) && one.get("data") instanceof Map<?, ?> data) {
            found.add(data);
          }
        }
      }
    }
    return found;
  }

  @Test
  void a_reservation_is_taken_on_the_whole_path_and_settled_there() {
    String id = budgets.open("s-1", SESSION, AGENT);
    Grant.Reserved held = reserved(id, "session/agent", 500);
    assertThat(budgets.line(id, "session", "tokens").reserved()).isEqualTo(500);
    assertThat(budgets.line(id, "session/agent", "tokens").left()).isEqualTo(100);

    assertThat(budgets.settle(held, Map.of("tokens", 420L))).isInstanceOf(Reply.Accepted.class);
    assertThat(budgets.line(id, "session", "tokens"))
        .isEqualTo(new Line("session", "tokens", 1_000, 420, 0, 0, false));
    assertThat(budgets.line(id, "session/agent", "tokens").left()).isEqualTo(180);
  }

  @Test
  void what_does_not_fit_on_one_line_takes_nothing_anywhere() {
    String id = budgets.open("s-1", SESSION, AGENT);
    assertThat(refused(id, "session/agent", 601)).isEqualTo(Grant.Reason.EXHAUSTED);
    Map<String, Long> both = Map.of("tokens", 10L, "calls", 11L);
    assertThat(budgets.reserve(id, "session/agent", both, MINUTE))
        .isInstanceOf(Grant.Refused.class);
    assertThat(budgets.lines(id)).allMatch(line -> line.reserved() == 0 && line.used() == 0);
  }

  @Test
  void accounts_beside_each_other_share_what_is_above() {
    String id = budgets.open("s-1", SESSION, AGENT);
    budgets.add(id, Account.of("session/other", Map.of("tokens", 600L)));
    reserved(id, "session/agent", 600);
    assertThat(refused(id, "session/other", 401)).isEqualTo(Grant.Reason.EXHAUSTED);
    reserved(id, "session/other", 400);
    assertThat(budgets.line(id, "session", "tokens").left()).isZero();
  }

  @Test
  void a_unit_or_account_without_a_limit_is_refused() {
    String id = budgets.open("s-1", SESSION);
    assertThat(budgets.reserve(id, "session", Map.of("money", 1L), MINUTE))
        .isInstanceOfSatisfying(
            Grant.Refused.class, r -> assertThat(r.reason()).isEqualTo(Grant.Reason.NOT_POSSIBLE));
    assertThat(refused(id, "sessions", 1)).isEqualTo(Grant.Reason.NOT_POSSIBLE);
    assertThat(refused("nothing", "session", 1)).isEqualTo(Grant.Reason.NOT_POSSIBLE);
    assertThatThrownBy(() -> reserved(id, "session", -1)).hasMessageContaining("Expected 0 to");
  }

  @Test
  void settling_more_than_was_reserved_counts_and_is_recorded() throws Exception {
    String id = budgets.open("s-1", SESSION);
    budgets.settle(reserved(id, "session", 900), Map.of("tokens", 1_050L));
    assertThat(budgets.line(id, "session", "tokens"))
        .isEqualTo(new Line("session", "tokens", 1_000, 1_050, 0, 150, false));
    assertThat(records(id, "budget.overrun")).hasSize(1);
    assertThat(refused(id, "session", 1)).isEqualTo(Grant.Reason.EXHAUSTED);
  }

  @Test
  void each_level_warns_once_in_a_period() throws Exception {
    String id = budgets.open("s-1", SESSION);
    reserved(id, "session", 790);
    assertThat(records(id, "budget.warned")).isEmpty();
    budgets.release(reserved(id, "session", 10));
    reserved(id, "session", 10);
    assertThat(records(id, "budget.warned"))
        .extracting(d -> d.get("level"))
        .isEqualTo(List.of(80L));
    reserved(id, "session", 200);
    assertThat(records(id, "budget.warned"))
        .extracting(d -> d.get("level"))
        .isEqualTo(List.of(80L, 95L));

    budgets.replenish(id, OLGA, "session", "tokens", 0, true, "new month");
    assertThat(records(id, "budget.warned")).hasSize(4);
  }

  @Test
  void the_owner_is_told_once_that_it_is_exhausted_and_when_there_is_more() throws Exception {
    box.publish(MachineReader.read(new Source("session.yaml", OWNER)));
    box.submit(new Command.Start("session", "s-1", Map.of(), Actor.SYSTEM, null));
    String id =
        budgets.open(
            "s-1", SESSION.telling("s-1", "budget_exhausted", "budget_replenished"), AGENT);
    reserved(id, "session", 1_000);
    assertThat(refused(id, "session/agent", 1)).isEqualTo(Grant.Reason.EXHAUSTED);
    assertThat(refused(id, "session", 1)).isEqualTo(Grant.Reason.EXHAUSTED);
    settled();
    assertThat(box.instance("s-1").leaves()).containsExactly("SUSPENDED");
    assertThat(records(id, "budget.exhausted")).hasSize(1);

    assertThat(budgets.replenish(id, OLGA, "session", "tokens", 500, false, "goes on"))
        .isInstanceOf(Reply.Accepted.class);
    settled();
    assertThat(box.instance("s-1").leaves()).containsExactly("ACTIVE");
    assertThat(budgets.line(id, "session", "tokens").left()).isEqualTo(500);
  }

  @Test
  void one_reservation_that_does_not_fit_tells_every_owner_whose_account_is_too_short()
      throws Exception {
    box.publish(MachineReader.read(new Source("session.yaml", OWNER)));
    for (String owner : List.of("s-1", "team-1", "agent-1", "agent-2")) {
      box.submit(new Command.Start("session", owner, Map.of(), Actor.SYSTEM, null));
    }
    String id =
        budgets.open(
            "s-1",
            SESSION.telling("s-1", "budget_exhausted", "budget_replenished"),
            Account.of("session/team", Map.of("tokens", 2_000L))
                .telling("team-1", "budget_exhausted", ""),
            Account.of("session/team/agent", Map.of("tokens", 600L, "calls", 5L))
                .telling("agent-1", "budget_exhausted", ""),
            Account.of("session/other", Map.of("tokens", 1L))
                .telling("agent-2", "budget_exhausted", ""));
    Map<String, Long> most = Map.of("tokens", 1_001L, "calls", 6L);
    assertThat(budgets.reserve(id, "r-1", "session/team/agent", most, MINUTE))
        .isInstanceOf(Grant.Refused.class);
    settled();

    assertThat(box.instance("s-1").leaves()).containsExactly("SUSPENDED");
    assertThat(box.instance("agent-1").leaves()).containsExactly("SUSPENDED");
    assertThat(box.instance("team-1").leaves()).containsExactly("ACTIVE");
    assertThat(box.instance("agent-2").leaves()).containsExactly("ACTIVE");
    assertThat(records(id, "budget.exhausted"))
        .singleElement()
        .satisfies(told ->
            assertThat((List<?>) told.get("lines"))
                .extracting(line -> Line.from((Map<?, ?>) line).account())
                .isEqualTo(List.of("session", "session/team/agent")));
    assertThat(box.instance("agent-1").sequence()).isEqualTo(2);
    assertThat(box.instance("agent-1").refusals()).isZero();
  }

  @Test
  void an_owner_that_goes_on_with_one_unit_is_told_of_the_next_that_is_too_short() {
    box.publish(MachineReader.read(new Source("session.yaml", OWNER)));
    box.submit(new Command.Start("session", "s-1", Map.of(), Actor.SYSTEM, null));
    String id =
        budgets.open("s-1", SESSION.telling("s-1", "budget_exhausted", "budget_replenished"));
    Map<String, Long> most = Map.of("tokens", 1_001L, "calls", 11L);
    budgets.reserve(id, "r-1", "session", most, MINUTE);
    budgets.replenish(id, OLGA, "session", "calls", 10, false, "goes on");
    settled();
    assertThat(box.instance("s-1").leaves()).containsExactly("ACTIVE");

    budgets.reserve(id, "r-2", "session", most, MINUTE);
    settled();
    assertThat(box.instance("s-1").leaves()).containsExactly("SUSPENDED");
  }

  /** A message is delivered before a command that comes after it. */
  private void settled() {
    for (int i = 0; i < 3; i++) {
      box.send("s-1", "nothing");
    }
  }

  @Test
  void only_a_person_with_the_role_replenishes_and_says_why() {
    String id = budgets.open("s-1", SESSION);
    Actor bot = new Actor(Actor.Kind.AGENT, "bot", List.of("operator"));
    Actor joe = new Actor(Actor.Kind.USER, "joe", List.of());
    assertThat(code(budgets.replenish(id, bot, "session", "tokens", 5, false, "more")))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
    assertThat(code(budgets.replenish(id, joe, "session", "tokens", 5, false, "more")))
        .isEqualTo(Rejection.Code.ROLE_REQUIRED);
    assertThat(code(budgets.replenish(id, OLGA, "session", "tokens", 5, false, "")))
        .isEqualTo(Rejection.Code.GUARD_REFUSED);
  }

  private static Rejection.Code code(Reply reply) {
    return ((Reply.Rejected) reply).rejection().code();
  }

  @Test
  void what_a_dead_holder_reserved_comes_back_when_it_is_needed_or_tended() throws Exception {
    String id = budgets.open("s-1", SESSION);
    Grant.Reserved lost = reserved(id, "session", 900);
    box.close();
    box = open();
    budgets = Budgets.on(box);
    assertThat(refused(id, "session", 200)).isEqualTo(Grant.Reason.EXHAUSTED);
    clock.advance(MINUTE);
    reserved(id, "session", 200);
    assertThat(budgets.line(id, "session", "tokens").reserved()).isEqualTo(200);

    budgets.settle(lost, Map.of("tokens", 850L));
    assertThat(budgets.line(id, "session", "tokens"))
        .isEqualTo(new Line("session", "tokens", 1_000, 850, 200, 850, true));
    assertThat(records(id, "budget.settled_late")).hasSize(1);
    clock.advance(MINUTE);
    assertThat(budgets.tend()).isEqualTo(1);
    assertThat(budgets.line(id, "session", "tokens").reserved()).isZero();
  }

  @Test
  void the_same_reservation_asked_for_again_is_the_same_and_is_settled_once() {
    String id = budgets.open("s-1", SESSION);
    Map<String, Long> amounts = Map.of("tokens", 100L);
    Grant.Reserved held =
        (Grant.Reserved) budgets.reserve(id, "effect-1", "session", amounts, MINUTE);
    box.close();
    box = open();
    budgets = Budgets.on(box);
    assertThat(budgets.reserve(id, "effect-1", "session", amounts, MINUTE)).isEqualTo(held);
    assertThat(budgets.line(id, "session", "tokens").reserved()).isEqualTo(100);
    budgets.settle(held, amounts);
    budgets.settle(held, amounts);
    assertThat(budgets.line(id, "session", "tokens").used()).isEqualTo(100);
    assertThat(budgets.release(held)).isInstanceOf(Reply.Rejected.class);
  }

  @Test
  void a_closed_budget_takes_nothing() {
    String id = budgets.open("s-1", SESSION);
    budgets.close(id);
    assertThat(refused(id, "session", 1)).isEqualTo(Grant.Reason.NOT_POSSIBLE);
  }
}
