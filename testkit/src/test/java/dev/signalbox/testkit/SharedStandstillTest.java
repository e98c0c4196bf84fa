package dev.signalbox.testkit;

import static dev.signalbox.testkit.LongWork.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Command.Clocks;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.MachinePause;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Scope;
import dev.signalbox.runtime.ScopeReport;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A machine is paused on one node of a real PostgreSQL, and stands still on every other. */
class SharedStandstillTest {
  private static final Actor KIM = new Actor(Actor.Kind.USER, "kim", List.of());
  private static final Scope LEAVES = new Scope.OfMachine("leaf");
  private static final Machine LEAF =
      MachineReader.read(
          new Source(
              "leaf.yaml",
              """
              machine: leaf
              states:
                GREEN: { after: { 1h: BROWN } }
                BROWN: { waits: for the wind }
              """));

  /** Has a leaf as long as it is green itself. */
  private static final Machine TWIG =
      MachineReader.read(
          new Source(
              "twig.yaml",
              """
              machine: twig
              states:
                GREEN: { after: { 2h: BROWN }, invoke: { machine: leaf, id: leaf } }
                BROWN: { waits: for the wind }
              """));

  /** Rings a minute after a leaf turns: by then every timer that was due has had its turn. */
  private static final Machine BELL =
      MachineReader.read(
          new Source(
              "bell.yaml",
              """
              machine: bell
              states:
                SILENT: { after: { 1m: RUNG } }
                RUNG: { waits: for nothing }
              """));

  private static FlushingPostgres server;

  private final ManualClock clock = new ManualClock();

  @BeforeAll
  static void started() throws Exception {
    server = FlushingPostgres.shared();
  }

  private Signalbox node(String url) {
    Signalbox box = Signalbox.open(url, Settings.DEFAULT, clock);
    box.publish(LEAF);
    box.publish(TWIG);
    box.publish(BELL);
    return box;
  }

  private static Reply start(Signalbox box, String machine, @Nullable String id) {
    return box.submit(new Command.Start(machine, id, Map.of(), Actor.SYSTEM, null));
  }

  private static boolean isRefused(Reply reply) {
    return reply instanceof Reply.Rejected(Rejection rejection)
        && rejection.code() == Rejection.Code.MACHINE_PAUSED;
  }

  private static List<String> states(Signalbox box, String id) {
    return box.instance(id).leaves();
  }

  private static boolean isStandingStill(Signalbox box) {
    return box.instances(Query.ALL.ofMachine("leaf").that(InstanceRow.Status.LIVE)).isEmpty();
  }

  /** Nodes look at the store again and again, by their clock. */
  private void soon(BooleanSupplier condition) throws InterruptedException {
    eventually(() -> {
      clock.advance(Duration.ofMillis(50));
      return condition.getAsBoolean();
    });
  }

  /** Time passes, and then whatever is due on either node has fired. */
  private void advance(Duration by, Signalbox one, Signalbox two, String bell)
      throws InterruptedException {
    clock.advance(by);
    assertThat(start(one, "bell", bell + "-1")).isInstanceOf(Reply.Accepted.class);
    assertThat(start(two, "bell", bell + "-2")).isInstanceOf(Reply.Accepted.class);
    clock.advance(Duration.ofMinutes(1));
    soon(() ->
        states(one, bell + "-1").contains("RUNG") && states(two, bell + "-2").contains("RUNG"));
  }

  @Test
  void nothing_begins_elsewhere_and_stopped_clocks_leave_what_was_left() throws Exception {
    String url = server.database("stopped");
    try (Signalbox one = node(url);
        Signalbox two = node(url)) {
      assertThat(start(one, "leaf", "a")).isInstanceOf(Reply.Accepted.class);
      assertThat(start(two, "leaf", "b")).isInstanceOf(Reply.Accepted.class);
      clock.advance(Duration.ofMinutes(20));
      ScopeReport paused = one.pause(LEAVES, Clocks.STOPPED, KIM, null);
      // Node one may come before the command: what began a moment ago it lets stand still itself.
      assertThat(paused.done() + paused.already()).isEqualTo(2);
      assertThat(paused.done()).isPositive();
      soon(() -> isRefused(start(two, "leaf", null)));
      soon(() -> isStandingStill(two));
      assertThat(two.pausedMachines())
          .extracting(MachinePause::machine, pause -> pause.actor().name())
          .containsExactly(org.assertj.core.api.Assertions.tuple("leaf", "kim"));

      advance(Duration.ofHours(5), one, two, "while-paused");
      assertThat(states(one, "a")).containsExactly("GREEN");
      assertThat(states(two, "b")).containsExactly("GREEN");

      assertThat(two.resume(LEAVES, KIM, null).refused()).isEmpty();
      soon(() -> start(one, "leaf", null) instanceof Reply.Accepted);
      advance(Duration.ofMinutes(30), one, two, "before-due");
      assertThat(states(one, "a")).containsExactly("GREEN");
      assertThat(states(two, "b")).containsExactly("GREEN");
      clock.advance(Duration.ofMinutes(10));
      soon(() -> states(one, "a").contains("BROWN") && states(two, "b").contains("BROWN"));
      assertThat(Audit.verify(one.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void running_clocks_fire_what_fell_due_when_it_goes_on_elsewhere() throws Exception {
    String url = server.database("running");
    try (Signalbox one = node(url);
        Signalbox two = node(url)) {
      assertThat(start(two, "leaf", "a")).isInstanceOf(Reply.Accepted.class);
      assertThat(one.pause(LEAVES, Clocks.RUNNING, KIM, null).done()).isEqualTo(1);
      advance(Duration.ofHours(5), one, two, "while-paused");
      assertThat(states(two, "a")).containsExactly("GREEN");
      assertThat(two.resume(LEAVES, KIM, null).done()).isEqualTo(1);
      soon(() -> states(one, "a").contains("BROWN"));
      assertThat(one.history("a", 1, 10)).hasSize(4);
    }
  }

  /** The id of the leaf that the twig has, once it is there. */
  private String leafOf(Signalbox box, String twig) throws InterruptedException {
    soon(() -> !box.instances(Query.ALL.below(twig)).isEmpty());
    return box.instances(Query.ALL.below(twig)).getFirst().id();
  }

  @Test
  void a_tree_that_one_node_grew_stands_still_for_the_other_and_the_next_tree_does_not()
      throws Exception {
    String url = server.database("tree");
    try (Signalbox one = node(url);
        Signalbox two = node(url)) {
      assertThat(start(one, "twig", "still")).isInstanceOf(Reply.Accepted.class);
      assertThat(start(one, "twig", "free")).isInstanceOf(Reply.Accepted.class);
      String leaf = leafOf(one, "still");
      String freeLeaf = leafOf(one, "free");
      clock.advance(Duration.ofMinutes(20));
      assertThat(two.pause(new Scope.Tree("still"), Clocks.STOPPED, KIM, null).done()).isEqualTo(2);

      advance(Duration.ofHours(5), one, two, "while-paused");
      soon(() -> states(two, "free").contains("BROWN"));
      soon(() -> one.instance(freeLeaf).status().equals("ended"));
      assertThat(states(one, "still")).containsExactly("GREEN");
      assertThat(states(one, leaf)).containsExactly("GREEN");

      assertThat(one.resume(new Scope.Tree("still"), KIM, null).done()).isEqualTo(2);
      advance(Duration.ofMinutes(30), one, two, "before-due");
      assertThat(states(two, leaf)).containsExactly("GREEN");
      clock.advance(Duration.ofMinutes(10));
      soon(() -> states(two, leaf).contains("BROWN"));
      assertThat(states(one, "still")).containsExactly("GREEN");
      clock.advance(Duration.ofHours(1));
      soon(() -> states(one, "still").contains("BROWN"));
      assertThat(Audit.verify(one.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void an_instance_that_one_node_paused_takes_nothing_on_the_other() throws Exception {
    String url = server.database("instance");
    try (Signalbox one = node(url);
        Signalbox two = node(url)) {
      assertThat(start(one, "leaf", "a")).isInstanceOf(Reply.Accepted.class);
      assertThat(start(one, "leaf", "b")).isInstanceOf(Reply.Accepted.class);
      assertThat(two.submit(new Command.Pause("a", Clocks.RUNNING, KIM, null)))
          .isInstanceOf(Reply.Accepted.class);
      assertThat(one.submit(Command.Send.of("a", "fall", null)))
          .isInstanceOfSatisfying(
              Reply.Rejected.class,
              refused ->
                  assertThat(refused.rejection().code()).isEqualTo(Rejection.Code.INSTANCE_PAUSED));
      advance(Duration.ofHours(5), one, two, "while-paused");
      soon(() -> states(one, "b").contains("BROWN"));
      assertThat(states(one, "a")).containsExactly("GREEN");
      assertThat(one.submit(new Command.Resume("a", KIM, null))).isInstanceOf(Reply.Accepted.class);
      soon(() -> states(two, "a").contains("BROWN"));
    }
  }

  @Test
  void what_the_other_node_begins_while_it_is_paused_stands_still_or_is_refused() throws Exception {
    String url = server.database("raced");
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    try (Signalbox one = node(url);
        Signalbox two = node(url)) {
      Thread starting =
          Thread.ofVirtual()
              .start(() -> {
                while (!over.get()) {
                  (isRefused(start(two, "leaf", null)) ? refused : begun).incrementAndGet();
                }
              });
      soon(() -> begun.get() > 50);
      assertThat(one.pause(LEAVES, Clocks.STOPPED, KIM, null).refused()).isEmpty();
      soon(() -> refused.get() > 50);
      over.set(true);
      starting.join();
      soon(() -> isStandingStill(one));
      List<Instance> leaves = one.instances(Query.ALL.ofMachine("leaf").page(0, Query.MOST));
      assertThat(leaves).filteredOn(leaf -> !leaf.status().equals("ended")).hasSize(begun.get());
      assertThat(two.resume(LEAVES, KIM, null).done()).isEqualTo(begun.get());
      assertThat(one.instances(Query.ALL.that(InstanceRow.Status.PAUSED))).isEmpty();
      assertThat(Audit.verify(one.journal(), _ -> {}).findings()).isEmpty();
    }
  }

  @Test
  void a_machine_under_load_in_other_processes_stands_still_also_for_one_that_starts_again(
      @TempDir Path notes) throws Exception {
    String url = server.database("processes");
    Scope jobs = new Scope.OfMachine("job");
    List<String> names = List.of("one", "two");
    Evidence evidence = new Evidence(notes, names);
    List<WorkerProcess> workers = new ArrayList<>();
    try (Signalbox box = Signalbox.open(url, Load.SETTINGS, java.time.InstantSource.system())) {
      Load.MACHINES.forEach(box::publish);
      try {
        for (String name : names) {
          workers.add(WorkerProcess.start(url, notes, name, 1));
        }
        for (WorkerProcess worker : workers) {
          worker.awaitReady();
        }
        eventually(() -> steps(box.journal()) > 500);
        assertThat(box.pause(jobs, Clocks.RUNNING, KIM, null).refused()).isEmpty();
        standsStill(box);
        workers.getFirst().kill();
        workers.set(0, WorkerProcess.start(url, notes, "one", 1));
        workers.getFirst().awaitReady();
        standsStill(box);
        assertThat(box.resume(jobs, KIM, null).refused()).isEmpty();
        long before = steps(box.journal());
        eventually(() -> steps(box.journal()) > before + 500);
      } finally {
        workers.forEach(WorkerProcess::close);
      }
    }
    Aftermath.settle(url, notes, "one", evidence);
  }

  /** None of the jobs moves, however often the other processes ask. */
  private static void standsStill(Signalbox box) throws InterruptedException {
    eventually(
        () -> box.instances(Query.ALL.ofMachine("job").that(InstanceRow.Status.LIVE)).isEmpty());
    long steps = steps(box.journal());
    long refusals = refusals(box.journal());
    eventually(() -> refusals(box.journal()) > refusals + 200);
    assertThat(steps(box.journal())).isEqualTo(steps);
  }

  private static long steps(Journal journal) {
    return journal.query(Query.ALL.ofMachine("job").page(0, Query.MOST)).stream()
        .mapToLong(InstanceRow::sequence)
        .sum();
  }

  private static long refusals(Journal journal) {
    return journal.query(Query.ALL.ofMachine("job").page(0, Query.MOST)).stream()
        .mapToLong(InstanceRow::refusals)
        .sum();
  }
}
