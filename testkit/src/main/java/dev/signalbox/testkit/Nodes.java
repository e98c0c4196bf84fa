package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The nodes of a simulation: how each begins, dies and is closed, and what its clock says. */
final class Nodes {
  /** How often a node that can't start is tried again while the store is open. */
  private static final int TRIES = 100;

  /** Commits after which a node signs a checkpoint, which takes longer than most of them. */
  private static final int CHECKPOINT_GROUPS = 50;

  private final World world;
  private final BiFunction<EffectHandler.Call, SimulatedNode, Outcome> handler;
  private final List<Machine> machines;
  private final List<NodeClock> clocks = new ArrayList<>();
  private final List<@Nullable SimulatedNode> nodes = new ArrayList<>();
  private @Nullable MailWatch watch;
  private @Nullable Journal sabotaged;
  private long faultsBefore = -1;

  /**
   * @param handler does the effects of the machines
   */
  Nodes(World world, BiFunction<EffectHandler.Call, SimulatedNode, Outcome> handler) {
    this.world = world;
    this.handler = handler;
    this.machines = new ArrayList<>(world.plan.machines());
    machines.add(next(machines.getFirst()));
    for (int i = 0; i < world.plan.nodes(); i++) {
      nodes.add(null);
      clocks.add(new NodeClock(world.now(), drift()));
    }
  }

  /** Two versions that differ in their number alone, so that every instance has a place in both. */
  private static Machine next(Machine first) {
    return new Machine(
        first.name(),
        first.version() + 1,
        first.mode(),
        first.description(),
        first.context(),
        first.events(),
        first.root(),
        first.invariants(),
        first.limits());
  }

  /** Where a node is alone with its store, there is no other clock that its own could leave. */
  private int drift() {
    return world.plan.nodes() == 1 ? 0 : world.random.nextInt(-500, 501);
  }

  int size() {
    return nodes.size();
  }

  /** Whether a node has taken an effect whose handler has not run. */
  boolean haveAttempts() {
    return nodes.stream().anyMatch(node -> node != null && node.box.attempts() > 0);
  }

  /** Failures after what is stored was opened again for the first time. */
  long faultsReopened() {
    return faultsBefore < 0 ? 0 : world.mishaps.total() - faultsBefore;
  }

  /** Says which messages the store has lost. */
  void finish() {
    if (watch != null) {
      watch.finish(world.view, world.auditor::found);
    }
  }

  /** A clock jumps: the store's, and with it everybody's, or a node's own. */
  void jump(int n) {
    Random random = world.random;
    boolean ahead = random.nextBoolean();
    world.mishaps.count(ahead ? Fault.CLOCK_AHEAD : Fault.CLOCK_BACK);
    if (nodes.size() > 1 && random.nextBoolean()) {
      Duration by = Duration.ofSeconds(random.nextInt(random.nextInt(10) == 0 ? 3_600 : 30));
      clocks.get(n).jump(ahead ? by : by.negated());
    } else if (ahead) {
      world.clock.advance(Duration.ofMinutes(random.nextInt(10) == 0 ? random.nextInt(600) : 3));
    } else {
      world.clock.advance(
          Duration.ofSeconds(-random.nextInt(random.nextInt(10) == 0 ? 3_600 : 30)));
    }
  }

  /** The node, which is started if it is dead. */
  SimulatedNode alive(int n) {
    SimulatedNode known = nodes.get(n);
    if (known != null) {
      return known;
    }
    Journal raw = world.store.open(clocks.get(n));
    for (int i = 0; world.isSlowToOpen() && i < TRIES; i++) {
      try {
        return begun(n, raw);
      } catch (RuntimeException | Error e) {
        // What is open need not be opened again to be tried again.
        if (e instanceof Mishaps.Death || !isPassing(e)) {
          world.store.killed(raw);
          throw e;
        }
      }
    }
    try {
      return begun(n, raw);
    } catch (RuntimeException | Error e) {
      world.store.killed(raw);
      throw e;
    }
  }

  private static boolean isPassing(Throwable e) {
    return e instanceof JournalException || FaultyStore.isSimulated(e);
  }

  private SimulatedNode begun(int n, Journal raw) {
    FaultyStore faulty = new FaultyStore(watched(raw), world.mishaps, world.random, world.store);
    try {
      if (world.store.reopened() > 0 && faultsBefore < 0) {
        faultsBefore = world.mishaps.total();
      }
      ManualSignalbox box =
          new ManualSignalbox(
              faulty.journal(), settings(), clocks.get(n), new Random(world.random.nextLong()));
      box.onFault(world::fault);
      SimulatedNode fresh = new SimulatedNode(box, faulty, raw);
      machines.forEach(box::publish);
      for (Machine machine : world.plan.machines()) {
        for (Action.Perform effect : machine.effects()) {
          box.handle(effect.effect(), call -> handler.apply(call, fresh));
        }
      }
      box.handle(Probes.EFFECT, _ -> Outcome.succeeded());
      nodes.set(n, fresh);
      return fresh;
    } catch (RuntimeException | Error e) {
      faulty.die();
      throw e;
    }
  }

  /** Where time passes by itself, leases and delays are short. */
  private Settings settings() {
    Settings usual = Settings.DEFAULT;
    boolean real = world.store.isOnRealTime();
    return new Settings(
        usual.queue(),
        usual.groupSize(),
        usual.dataBytes(),
        usual.cacheBytes(),
        usual.refusals(),
        usual.races(),
        real ? Duration.ofMillis(500) : usual.lease(),
        usual.attempts(),
        real ? Duration.ofMillis(5) : usual.firstDelay(),
        usual.effectsAtOnce(),
        CHECKPOINT_GROUPS,
        Duration.ofMinutes(1));
  }

  private MailWatch watched(Journal raw) {
    Journal under = sabotaged;
    if (under == null || world.isSlowToOpen()) {
      under = world.plan.sabotage().apply(raw);
      sabotaged = under;
    }
    watch = watch == null ? new MailWatch(under) : watch.over(under);
    return watch;
  }

  /** The node dies between two of its actions. */
  void kill(int n) {
    SimulatedNode node = nodes.get(n);
    if (node != null) {
      node.store.die();
      bury(n);
    }
  }

  void killAll() {
    for (int i = 0; i < nodes.size(); i++) {
      kill(i);
    }
  }

  /** What a dead node leaves is what the next finds. */
  void bury(int n) {
    SimulatedNode node = nodes.get(n);
    if (node != null && node.store.isDead()) {
      nodes.set(n, null);
      if (node.store.isEndless()) {
        world.auditor.found("a node asks the store for ever");
      }
      world.store.killed(node.opened);
    }
  }

  void buryAll() {
    for (int i = 0; i < nodes.size(); i++) {
      bury(i);
    }
  }

  SimulatedNode restarted(int n) {
    kill(n);
    return alive(n);
  }

  /** A node is closed, perhaps while nothing can be written, and the store opened again. */
  void close(int n, SimulatedNode node) {
    boolean trouble = !world.store.isOnRealTime() && world.random.nextInt(4) == 0;
    if (trouble) {
      world.mishaps.count(Fault.CLOSE_IN_TROUBLE);
      world.mishaps.appendsFail(true);
    }
    try {
      boolean ended = world.store.isOnRealTime() || Probes.ends(node.box, world.clock);
      if (!ended && !node.store.isDead()) {
        world.auditor.found(
            "a node can't be closed" + (trouble ? " while every append fails" : ""));
      }
    } finally {
      world.mishaps.appendsFail(false);
    }
    if (node.store.isDead()) {
      return;
    }
    try {
      node.box.close();
    } finally {
      // Whether it could or not, its process ends here.
      nodes.set(n, null);
      node.closed();
      node.opened.close();
      world.store.closed(node.opened);
    }
  }
}
