package dev.signalbox.systems.runs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import dev.signalbox.services.approval.Approval;
import dev.signalbox.services.approval.Approvals;
import dev.signalbox.services.workspace.Workspace;
import dev.signalbox.systems.Values;
import dev.signalbox.systems.runs.file.RunFiles;
import dev.signalbox.systems.runs.file.RunVerifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example of examples/approved-run on the repository that it creates, to each of its ends. That
 * it may be killed on the way is in {@link KilledExampleTest}.
 */
class ExampleRunTest {
  private static final Path EXAMPLE =
      Path.of(System.getProperty("project.root")).resolve("examples/approved-run");

  @TempDir Path temp;
  private Path repository;
  private String before = "";

  @BeforeEach
  void create() throws Exception {
    repository = temp.toRealPath().resolve("repository");
    Process created =
        new ProcessBuilder("sh", EXAMPLE.resolve("create.sh").toString(), repository.toString())
            .inheritIO()
            .start();
    assertThat(created.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(created.exitValue()).isZero();
    before = tree();
  }

  @Test
  void approved_it_is_complete_and_merged() throws Exception {
    try (House house = new House("plan.yaml", InstantSource.system())) {
      Approval asked = house.untilAsked();
      assertThat(asked.action().name()).isEqualTo("merge");
      house.approve(asked);
      Instance ended = house.untilEnd();
      assertThat(Runs.state(ended)).as(house.story()).isEqualTo("COMPLETE");
      assertThat(ended.context()).as(house.story()).containsEntry("final_status", "ALL_CLEAR");
      assertThat(Files.readString(repository.resolve("src/greeting.sh"))).contains("Welcome");
      house.assertFiles();
    }
  }

  @Test
  void rejected_everything_is_as_before() throws Exception {
    try (House house = new House("plan.yaml", InstantSource.system())) {
      Approval asked = house.untilAsked();
      assertThat(house.approvals.reject(asked.id(), RunHouse.BOB, "not today"))
          .isInstanceOf(Reply.Accepted.class);
      house.assertEnd("ROLLED_BACK", "STOPPED");
      assertThat(tree()).isEqualTo(before);
    }
  }

  @Test
  void when_the_tests_fail_the_merge_is_undone_too() throws Exception {
    try (House house = new House("plan-tests-fail.yaml", InstantSource.system())) {
      house.approve(house.untilAsked());
      house.assertEnd("ROLLED_BACK", "FAILED_VERIFY");
      assertThat(tree()).isEqualTo(before);
    }
  }

  @Test
  void when_nobody_answers_for_a_day_it_halts() throws Exception {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-31T12:00:00Z"));
    try (House house = new House("plan.yaml", now::get)) {
      house.untilAsked();
      now.updateAndGet(time -> time.plus(Duration.ofHours(24)));
      house.assertEnd("HALTED_UNSAFE", "STOPPED");
      assertThat(String.valueOf(house.run().context().get("failure"))).isNotEmpty();
    }
  }

  @Test
  void more_than_twice_a_limit_is_an_emergency_that_keeps_everything() throws Exception {
    try (House house = new House("plan-emergency.yaml", InstantSource.system())) {
      house.assertEnd("HALTED_UNSAFE", "STOPPED");
      assertThat(String.valueOf(house.run().context().get("failure"))).contains("emergency halt");
      assertThat(tree()).isNotEqualTo(before);
    }
  }

  private String tree() {
    return Workspace.of(repository).footprint().treeHash();
  }

  /** A store with the system of runs, and one run of a plan of the example. */
  private final class House implements AutoCloseable {
    private final RunsSystem system;
    private final Signalbox box;
    private final Runs runs;
    private final Approvals approvals;
    private final Path folder = temp.resolve("runs");
    private final String id;

    House(String plan, InstantSource clock) throws IOException {
      system = new RunsSystem(RunsSettings.in(folder, temp.toRealPath()));
      box = Signalbox.open("jdbc:sqlite:" + temp.resolve("box.db"), Settings.DEFAULT, clock);
      system.publish(box);
      system.attach(box);
      runs = system.runs(box);
      approvals = Approvals.on(box);
      id =
          runs.start(
              PlanReader.read(
                  new Source(plan, Files.readString(EXAMPLE.resolve(plan))), temp.toRealPath()),
              new Actor(Actor.Kind.USER, "ann", List.of("operator")));
    }

    Instance run() {
      return runs.run(id);
    }

    String story() {
      return String.valueOf(run().context());
    }

    Instance until(Predicate<Instance> wanted) throws InterruptedException {
      Semaphore news = new Semaphore(0);
      try (var _ = box.feed().onCommit(news::release)) {
        for (int waits = 0; waits < 200; waits++) {
          Instance now = run();
          if (wanted.test(now)) {
            return now;
          }
          assertThat(now.status()).as(story()).isEqualTo("live");
          boolean _ = news.tryAcquire(1, TimeUnit.SECONDS);
          news.drainPermits();
        }
      }
      throw new AssertionError(story());
    }

    Approval untilAsked() throws InterruptedException {
      Instance asked = until(i -> i.leaves().contains("awaiting_decision"));
      return approvals.approval(
          String.valueOf(Values.list(asked.context().get("approvals_pending")).getFirst()));
    }

    Instance untilEnd() throws InterruptedException {
      return until(i -> i.status().equals("ended"));
    }

    void approve(Approval approval) {
      assertThat(approvals.approve(approval.id(), RunHouse.BOB, approval.digest()))
          .isInstanceOf(Reply.Accepted.class);
    }

    void assertEnd(String state, String status) throws InterruptedException {
      Instance ended = untilEnd();
      assertThat(Runs.state(ended)).as(story()).isEqualTo(state);
      assertThat(ended.context()).containsEntry("final_status", status);
      assertFiles();
    }

    /** The files of the run are there and right, by themselves. */
    void assertFiles() {
      // Who follows the store may still be writing; what it left is finished.
      system.close();
      try (RunFiles files = new RunFiles(box, folder)) {
        files.catchUpWholly();
      }
      assertThat(RunVerifier.verify(folder.resolve(id))).isEmpty();
      assertThat(folder.resolve(id).resolve("RUN_STATE.json")).exists();
    }

    @Override
    public void close() {
      system.close();
      box.close();
    }
  }
}
