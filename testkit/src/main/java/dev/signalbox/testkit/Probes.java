package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * What must hold in moments that chance hardly ever makes, each brought about on nodes that have
 * been through everything: contention on one instance, much mail for one that stands still, a
 * damaged row, a newer version, an end in trouble. Nothing else goes wrong meanwhile.
 */
final class Probes {
  /** What nodes have a handler for that always succeeds. */
  static final String EFFECT = "simulated-work";

  private static final Actor SYSTEM = Actor.SYSTEM;
  private static final int RACES = 60;
  private static final int MAIL = 200;
  private static final int MOST_STEPS = 2_000;

  @SuppressWarnings("InlineFormatString")
  private static final String TEXT =
      """
      machine: simulated-desk
      version: %d
      context: { n: { type: int, default: 0 } }
      events:
        tell: { data: { whom: string } }
      states:
        OPEN:
          waits: for somebody
          on:
            tell: { do: [ { send: { event: hello, to: { instance: event.whom } } } ] }
            hello: { assign: { n: ctx.n + 1 } }
            work: { to: WORKING, do: [ { perform: { effect: simulated-work, idempotent: false } } ] }
        WORKING:
          waits: for the work
          on:
            hello: { assign: { n: ctx.n + 1 } }
            simulated-work.succeeded: DONE
            simulated-work.failed: OPEN
            simulated-work.unknown: LOST
        DONE: { final: true }
        LOST: { final: true }
      """;

  private final Journal view;
  private final ManualClock clock;
  private final Mishaps mishaps;
  private final Intruder intruder;
  private final IntFunction<SimulatedNode> fresh;
  private final Consumer<String> found;
  private final Runnable asked;
  private int serial;

  /**
   * @param fresh lets a node die and start again
   * @param asked is told that something was asked of a node
   */
  Probes(World world, IntFunction<SimulatedNode> fresh, Runnable asked) {
    this.view = world.view;
    this.clock = world.clock;
    this.mishaps = world.mishaps;
    this.intruder = world.intruder;
    this.fresh = fresh;
    this.asked = asked;
    this.found = world.auditor::found;
  }

  /**
   * @param shared whether two nodes may have the store at a time
   */
  void run(boolean shared) {
    if (shared) {
      races();
      versions();
    }
    mail();
    damage();
    end();
  }

  private static Machine desk(int version) {
    return MachineReader.read(new Source("desk.yaml", TEXT.formatted(version)));
  }

  private SimulatedNode node(int which) {
    SimulatedNode node = fresh.apply(which);
    node.box.publish(desk(1));
    return node;
  }

  private String start(ManualSignalbox box) {
    String id = "desk-" + ++serial;
    CompletableFuture<Reply> _ =
        ask(box, new Command.Start("simulated-desk", id, Map.of(), SYSTEM, key()));
    box.rest();
    return id;
  }

  private CompletableFuture<Reply> ask(ManualSignalbox box, Command command) {
    asked.run();
    return box.submit(command);
  }

  private String key() {
    return "probe-" + ++serial;
  }

  private Command.Send send(String id, String event, Map<String, Object> data) {
    return Command.Send.of(id, event, data.isEmpty() ? null : data).key(key());
  }

  /** A node that is always slower reports what a handler answered all the same. */
  private void races() {
    SimulatedNode fast = node(0);
    SimulatedNode slow = node(1);
    String id = start(slow.box);
    CompletableFuture<Reply> _ = ask(slow.box, send(id, "work", Map.of()));
    steps(slow.box);
    for (int i = 0; i < MOST_STEPS && !slow.box.claim(); i++) {
      clock.advance(Duration.ofMillis(100));
    }
    if (slow.box.attempts() == 0) {
      found.accept("the work of %s was not taken".formatted(id));
      return;
    }
    while (slow.box.attempts() > 0) {
      slow.box.attempt(0);
    }
    for (int i = 0; i < RACES; i++) {
      clock.advance(Duration.ofMillis(25));
      for (int step = 0; step < 20 && slow.box.toAppend() == 0; step++) {
        boolean _ = slow.box.step();
      }
      CompletableFuture<Reply> _ = ask(fast.box, send(id, "hello", Map.of()));
      steps(fast.box);
      while (slow.box.toAppend() > 0) {
        boolean _ = slow.box.commit();
      }
    }
    settle(slow.box, 100);
    Instance desk = Objects.requireNonNull(slow.box.find(id));
    if (!desk.leaves().equals(List.of("DONE"))) {
      found.accept(
          "the work of %s succeeded, its report came second %d times, and it is %s"
              .formatted(id, RACES, desk.leaves()));
    }
  }

  /** Without effects: what waits is worked out and appended. */
  private static void steps(ManualSignalbox box) {
    for (int i = 0; i < MOST_STEPS && (box.step() || box.toAppend() > 0); i++) {
      boolean _ = box.commit();
    }
  }

  /** A node learns of the version that another published. */
  private void versions() {
    SimulatedNode knows = node(0);
    SimulatedNode learns = node(1);
    String before = start(learns.box);
    int next = Objects.requireNonNull(learns.box.find(before)).version() + 1;
    knows.box.publish(desk(next));
    settle(learns.box, 100);
    String after = start(learns.box);
    int started = Objects.requireNonNull(learns.box.find(after)).version();
    if (started != next) {
      found.accept(
          "version %d was published ten seconds ago, and %s has version %d"
              .formatted(next, after, started));
    }
  }

  /** So many tenths of a second in which nothing is asked. */
  private void settle(ManualSignalbox box, int tenths) {
    for (int i = 0; i < tenths; i++) {
      clock.advance(Duration.ofMillis(100));
      box.rest();
    }
  }

  /** Who stands still costs nothing, however much mail it has, and gets all of it in the end. */
  private void mail() {
    SimulatedNode node = node(0);
    String from = start(node.box);
    String to = start(node.box);
    CompletableFuture<Reply> _ =
        ask(node.box, new Command.Pause(to, Command.Clocks.RUNNING, SYSTEM, key()));
    for (int i = 0; i < MAIL; i++) {
      CompletableFuture<Reply> _ = ask(node.box, send(from, "tell", Map.of("whom", to)));
    }
    settle(node.box, 50);
    long before = node.store.loads();
    settle(node.box, 100);
    long loads = node.store.loads() - before;
    if (loads > MAIL / 2) {
      found.accept(
          "%d messages wait for %s, which stands still, and ten idle seconds cost %d loads"
              .formatted(MAIL, to, loads));
    }
    CompletableFuture<Reply> _ = ask(node.box, new Command.Resume(to, SYSTEM, key()));
    settle(node.box, 50);
    Object n = Objects.requireNonNull(node.box.find(to)).context().get("n");
    if (!Long.valueOf(MAIL).equals(n)) {
      found.accept("%d messages were for %s, which got %s".formatted(MAIL, to, n));
    }
  }

  /** A damaged row is nobody's trouble but its own. */
  private void damage() {
    SimulatedNode node = node(0);
    String other = start(node.box);
    String hurt = start(node.box);
    InstanceRow before = Objects.requireNonNull(view.load(hurt));
    intruder.pause(before);
    node = node(0);
    CompletableFuture<Reply> _ = ask(node.box, send(other, "tell", Map.of("whom", hurt)));
    CompletableFuture<Reply> healthy = ask(node.box, send(other, "hello", Map.of()));
    CompletableFuture<Reply> hurting = node.box.submit(send(hurt, "hello", Map.of()));
    CompletableFuture<Reply> resumed = node.box.submit(new Command.Resume(hurt, SYSTEM, key()));
    int steps = 0;
    while ((node.box.step() || node.box.toAppend() > 0) && steps < MOST_STEPS) {
      boolean _ = node.box.commit();
      steps++;
    }
    if (steps == MOST_STEPS) {
      found.accept("the row of %s is damaged, and the engine works for ever".formatted(hurt));
      return;
    }
    if (!healthy.isDone() || !hurting.isDone() || !resumed.isDone()) {
      found.accept("the row of %s is damaged, and somebody gets no answer".formatted(hurt));
    }
    InstanceRow now = Objects.requireNonNull(view.load(hurt));
    if (now.status() != before.status() || now.sequence() == before.sequence()) {
      CompletableFuture<Reply> _ =
          ask(node.box, new Command.Correct(hurt, "it was damaged", Workload.SWEEP, key()));
      settle(node.box, 30);
    }
  }

  /** A node can be closed although nothing can be written. */
  private void end() {
    SimulatedNode node = node(0);
    String id = start(node.box);
    CompletableFuture<Reply> _ = ask(node.box, send(id, "work", Map.of()));
    steps(node.box);
    boolean _ = node.box.claim();
    mishaps.appendsFail(true);
    while (node.box.attempts() > 0) {
      node.box.attempt(0);
    }
    boolean ended = ends(node.box, clock);
    mishaps.appendsFail(false);
    if (!ended) {
      found.accept("every append fails, and the node that has to report can't be closed");
    }
    node.store.die();
    settle(fresh.apply(0).box, 20);
  }

  /** Ends a node; says whether it comes to an end. */
  static boolean ends(ManualSignalbox box, ManualClock clock) {
    box.end();
    for (int i = 0; i < MOST_STEPS && !box.isOver(); i++) {
      boolean _ = box.step();
      while (box.toAppend() > 0) {
        box.append(0);
      }
      clock.advance(Duration.ofMillis(100));
    }
    return box.isOver();
  }
}
