package dev.signalbox.services.approval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.sqlite.SqliteJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.SharedPostgres;
import dev.signalbox.testkit.ManualClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real threads and real stores: one claim of many succeeds, and a death in between loses nothing.
 */
class ApprovalRacesTest {
  private static final Actor BOB = ApprovalsTest.BOB;
  private static final Actor EVE = ApprovalsTest.EVE;

  @TempDir Path folder;

  private static Action action(int number) {
    return Action.of("r-" + number, "deploy", Map.of("number", number));
  }

  private static Request asking(int number) {
    return Request.of(action(number), Asker.of(ApprovalsTest.ANN)).expiresIn(Duration.ofHours(1));
  }

  /**
   * For each approval, some callers try the right action and some another, while people approve.
   */
  private static void race(List<Signalbox> nodes, int rounds, int callers) throws Exception {
    List<Approvals> services = nodes.stream().map(Approvals::on).toList();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < rounds; round++) {
        Action right = action(round);
        Action wrong = Action.of("r-" + round, "deploy", Map.of("number", "another"));
        boolean someAreWrong = round % 4 == 3;
        String id = services.getFirst().request(asking(round).quorum(2));
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
          Approvals service = services.get(caller % services.size());
          Action tried = someAreWrong && caller % 2 == 1 ? wrong : right;
          boolean votes = caller < 4;
          all.add(
              threads.submit(() -> {
                go.await();
                if (votes) {
                  service.approve(id, ApprovalsTest.ANN, right.digest());
                  service.approve(id, BOB, right.digest());
                  service.approve(id, EVE, right.digest());
                }
                return service.execute(
                    id,
                    tried,
                    action -> {
                      assertThat(action).isEqualTo(right);
                      return runs.incrementAndGet();
                    });
              }));
        }
        go.countDown();
        for (Future<?> one : all) {
          one.get();
        }
        Approval approval = services.getLast().approval(id);
        assertThat(approval.approvers()).containsExactlyInAnyOrder("bob", "eve");
        assertThat(runs.get()).isEqualTo(approval.state().equals("EXECUTED") ? 1 : 0);
        if (!someAreWrong) {
          assertThat(services.getFirst().claim(id, right))
              .isInstanceOfSatisfying(
                  Claim.Rejected.class, r -> assertThat(r.reason()).isEqualTo(Claim.Reason.USED));
          assertThat(runs).hasValue(1);
        }
      }
    }
    assertThat(Audit.verify(nodes.getFirst().journal(), _ -> {}).findings()).isEmpty();
  }

  @Test
  void one_of_sixty_four_callers_gets_it_on_sqlite() throws Exception {
    try (Signalbox box = Signalbox.open("jdbc:sqlite:" + folder.resolve("box.db"))) {
      race(List.of(box), 40, 64);
    }
  }

  @Test
  void one_of_two_nodes_gets_it_on_postgresql() throws Exception {
    String url = SharedPostgres.database();
    try (Signalbox one = Signalbox.open(url);
        Signalbox two = Signalbox.open(url)) {
      race(List.of(one, two), 12, 64);
    }
  }

  @Test
  void nothing_is_used_late_while_the_clock_runs_beside_the_claims() throws Exception {
    ManualClock clock = new ManualClock();
    try (Signalbox box =
            Signalbox.open("jdbc:sqlite:" + folder.resolve("late.db"), Settings.DEFAULT, clock);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Approvals approvals = Approvals.on(box);
      for (int round = 0; round < 30; round++) {
        Action action = action(round);
        String id = approvals.request(asking(round));
        approvals.approve(id, BOB, action.digest());
        clock.advance(Duration.ofMinutes(59).plusSeconds(59).plusMillis(990));
        List<Future<Claim>> claims = new ArrayList<>();
        Future<?> time =
            threads.submit(() -> {
              for (int i = 0; i < 20; i++) {
                clock.advance(Duration.ofMillis(1));
              }
            });
        for (int i = 0; i < 8; i++) {
          claims.add(threads.submit(() -> approvals.claim(id, action)));
        }
        time.get();
        int claimed = 0;
        for (Future<Claim> claim : claims) {
          claimed += claim.get() instanceof Claim.Claimed ? 1 : 0;
        }
        Approval approval = approvals.approval(id);
        assertThat(claimed).isEqualTo(approval.outcome() == Outcome.EXECUTED ? 1 : 0);
        if (claimed == 1) {
          long usedAt = Objects.requireNonNull(box.journal().load(id)).at();
          assertThat(usedAt).isLessThan(approval.expiresAt().toEpochMilli());
        }
      }
    }
  }

  private static final String RUN =
      """
      machine: run
      context: { heard: { type: int, default: 0 } }
      states:
        WAITING:
          waits: for an answer
          on: { denied: { assign: { heard: ctx.heard + 1 } } }
      """;

  @Test
  void a_death_after_the_commit_and_before_the_message_loses_nothing_and_repeats_nothing() {
    ManualClock clock = new ManualClock();
    Path file = folder.resolve("killed.db");
    try (SqliteJournal journal = SqliteJournal.open(file, clock)) {
      ManualSignalbox box = stepped(journal, clock);
      box.publish(MachineReader.read(new Source("run.yaml", RUN)));
      Approvals.on(box);
      Request request = asking(1).telling("r-1", Outcome.REJECTED, "denied");
      var _ = box.submit(new Command.Start("run", "r-1", Map.of(), Actor.SYSTEM, null));
      var _ =
          box.submit(
              new Command.Start(
                  "approval", "a", request.input(request.chain()), Actor.SYSTEM, null));
      box.rest();
      var _ =
          box.submitForCaller(
              "approval", Command.Send.of("a", "reject", Map.of("reason", "no")).by(BOB));
      box.step();
      box.commit();
      assertThat(Objects.requireNonNull(box.find("a")).leaves()).containsExactly("ABORTED");
      assertThat(Objects.requireNonNull(box.find("r-1")).context()).containsEntry("heard", 0L);
    }
    for (int start = 0; start < 2; start++) {
      try (SqliteJournal journal = SqliteJournal.open(file, clock)) {
        ManualSignalbox box = stepped(journal, clock);
        box.rest();
        assertThat(Objects.requireNonNull(box.find("r-1")).context()).containsEntry("heard", 1L);
      }
    }
  }

  @Test
  void a_death_between_the_claim_and_the_work_repeats_it_under_its_key_only() throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("cut.db");
    Action action = action(1);
    Terms mine = Terms.NONE.key("effect-7");
    String id;
    try (Signalbox box = Signalbox.open(url)) {
      Approvals approvals = Approvals.on(box);
      id = approvals.request(asking(1));
      approvals.approve(id, BOB, action.digest());
      assertThat(approvals.claim(id, action, mine)).isInstanceOf(Claim.Claimed.class);
    }
    try (Signalbox box = Signalbox.open(url)) {
      Approvals approvals = Approvals.on(box);
      assertThat(approvals.claim(id, action)).isInstanceOf(Claim.Rejected.class);
      assertThat(approvals.execute(id, action, mine, _ -> "ran"))
          .isEqualTo(new Execution.Done<>("ran"));
    }
  }

  private static ManualSignalbox stepped(SqliteJournal journal, ManualClock clock) {
    return new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
  }
}
