package dev.signalbox.testkit;

import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.RejectedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A seeded simulation of the runtime: nodes that share a store take commands while everything goes
 * wrong that can, and an {@link Auditor} compares what the journal says with what must have
 * happened. The same seed gives the same simulation.
 *
 * <p>Here is the order of events: which node is next, which of its threads has a turn, or what else
 * happens to it. Who takes part is in {@link World} and {@link Nodes}; who asks, in {@link
 * Callers}, {@link Operator} and {@link Visitor}; what fails, in {@link FaultyStore} and {@link
 * SimulatedHandler}.
 */
public final class Simulation {
  /** Actions after which the auditor reads what was committed since. */
  private static final int AUDIT_EVERY = 512;

  /** Of so many deaths on a store that is slow to open, one is taken. */
  private static final int SPARED = 8;

  /** Hours that a simulation has in the end, for everything to come to rest. */
  private static final int LAST_HOURS = 20;

  /** Held, because a logger that nobody holds forgets its level. What it says is expected here. */
  private static final Logger LOG = Logger.getLogger("dev.signalbox.runtime");

  private final World world;
  private final Random random;
  private final SimulatedHandler handler;
  private final Nodes nodes;
  private final Callers callers;
  private final Operator operator;
  private final Tampering tampering;
  private final Contention contention;
  private final Visitor visitor;
  private long actions;

  /**
   * What to simulate.
   *
   * @param machines the first is started; the others may be invoked by it
   * @param instances how many live at a time
   * @param faults after how many faults to stop
   * @param sabotage changes the store, to see whether the auditor notices; identity for none
   * @param store makes the store on the clock of the simulation, which closes it
   */
  public record Plan(
      List<Machine> machines,
      long seed,
      int nodes,
      int instances,
      long faults,
      UnaryOperator<Journal> sabotage,
      Function<InstantSource, SimulatedStore> store) {

    /** A plan whose store is in memory. */
    public Plan(
        List<Machine> machines,
        long seed,
        int nodes,
        int instances,
        long faults,
        UnaryOperator<Journal> sabotage) {
      this(
          machines,
          seed,
          nodes,
          instances,
          faults,
          sabotage,
          clock -> SimulatedStore.inMemory(clock, nodes > 1));
    }

    public static Plan of(List<Machine> machines, long seed, long faults) {
      return new Plan(machines, seed, 2, 10, faults, UnaryOperator.identity());
    }

    public Plan sabotaged(UnaryOperator<Journal> how) {
      return new Plan(machines, seed, nodes, instances, faults, how, store);
    }

    /** The same for so many nodes on another store. */
    public Plan on(int many, Function<InstantSource, SimulatedStore> made) {
      return new Plan(machines, seed, many, instances, faults, sabotage, made);
    }

    /** The same for one node on a file, which is closed and opened again. */
    public Plan onFile(Path folder) {
      return on(1, clock -> new SqliteFiles(folder, clock));
    }

    /** The same for two nodes on an empty PostgreSQL database. */
    public Plan onDatabase(String url) {
      return on(2, _ -> new PostgresDatabase(url));
    }
  }

  private Simulation(Plan plan) {
    this.world = new World(plan);
    this.random = world.random;
    this.handler = new SimulatedHandler(world, this::act);
    this.nodes = new Nodes(world, handler::handle);
    this.callers = new Callers(world);
    this.operator = new Operator(world);
    this.tampering = new Tampering(world, nodes, callers);
    this.contention = new Contention(world, callers);
    this.visitor = new Visitor(random);
  }

  /** Runs a simulation to its end. */
  public static SimulationReport run(Plan plan) {
    return new Simulation(plan).run();
  }

  private SimulationReport run() {
    LOG.setLevel(Level.OFF);
    Auditor auditor = world.auditor;
    try {
      while (world.mishaps.total() < world.plan.faults() && auditor.isContent()) {
        act();
        actions++;
        if (actions % AUDIT_EVERY == 0) {
          callers.settle();
          auditor.follow();
        }
      }
      calmDown();
      ManualSignalbox box = nodes.alive(0).box;
      auditor.finish(world.now().millis(), box, box::at);
      nodes.finish();
    } catch (Mishaps.Death e) {
      // Nothing fails any more, so that only a node which asks for ever dies here.
      nodes.buryAll();
    } catch (RuntimeException e) {
      auditor.fault(e);
    } finally {
      world.store.close();
      LOG.setLevel(null);
    }
    return new SimulationReport(
        world.plan.seed(),
        world.store.kind(),
        world.store.reopened(),
        nodes.faultsReopened(),
        actions,
        callers.commands(),
        auditor.entries(),
        auditor.effects(),
        auditor.timers(),
        auditor.messages(),
        world.mishaps.counts(),
        world.mishaps.methods(),
        auditor.findings());
  }

  private void act() {
    int n = random.nextInt(nodes.size());
    SimulatedNode node = null;
    try {
      node = nodes.alive(n);
      node.store.begin();
      act(n, node);
      if (node.isAlive()) {
        node.audit(world.view, world.auditor::found);
      }
    } catch (JournalException | RejectedException e) {
      // Whoever asked for something was told that it can't be.
    } catch (RuntimeException | Error e) {
      // While a handler hung, whoever asked may have lost the node to a close.
      if (node == null || node.isAlive()) {
        world.fault(e);
      }
    } finally {
      nodes.bury(n);
    }
  }

  private void act(int n, SimulatedNode node) {
    ManualSignalbox box = node.box;
    int dice = random.nextInt(100);
    if (dice < 24) {
      callers.send(node);
    } else if (dice < 28) {
      visitor.visit(box, world.workload.someone());
    } else if (dice < 86) {
      turn(node, dice);
    } else if (dice < 88) {
      box.poll();
    } else if (dice < 94) {
      world.clock.advance(Duration.ofMillis(random.nextInt(dice < 93 ? 2_000 : 60_000)));
    } else if (dice < 95) {
      nodes.jump(n);
    } else if (dice < 96) {
      if (!isSpared()) {
        world.mishaps.count(Fault.CRASH);
        node.store.die();
      }
    } else {
      rarely(n, node);
    }
  }

  /** One of the node's threads has a turn; whatever the store does, it has another one later. */
  private void turn(SimulatedNode node, int dice) {
    ManualSignalbox box = node.box;
    try {
      if (dice < 56) {
        boolean _ = box.step();
      } else if (dice < 72) {
        append(box);
      } else if (dice < 76) {
        boolean _ = box.claim();
      } else if (dice < 84) {
        attempt(node);
      } else {
        box.renew();
      }
    } catch (RuntimeException | Error e) {
      if (!node.store.isDead()) {
        world.auditor.found("a thread of a node ended with " + e);
      }
    }
  }

  private void append(ManualSignalbox box) {
    if (box.toAppend() > 0) {
      int which = random.nextInt(box.toAppend());
      if (random.nextBoolean()) {
        boolean _ = box.commit(which);
      } else {
        box.append(which);
      }
    }
  }

  private void attempt(SimulatedNode node) {
    if (node.box.attempts() > 0) {
      int which = random.nextInt(node.box.attempts());
      node.lease = node.box.lease(which);
      node.box.attempt(which);
    }
  }

  /** Whether a node that would end now goes on, because the next is slow to start. */
  private boolean isSpared() {
    return world.isSlowToOpen() && random.nextInt(SPARED) > 0;
  }

  private void rarely(int n, SimulatedNode node) {
    int dice = random.nextInt(400);
    if (dice < 40) {
      int other = (n + 1) % nodes.size();
      if (other != n) {
        contention.compete(node, nodes.alive(other));
        nodes.bury(other);
      }
    } else if (dice < 70) {
      operator.archive(node);
    } else if (dice < 80) {
      tampering.spoil(n);
    } else if (dice < 90) {
      if (!handler.hangs()) {
        tampering.takeEffect(node);
      }
    } else if (dice < 120) {
      operator.standStill(node.box);
    } else if (dice < 180) {
      operator.erase(node.box);
    } else if (dice < 270) {
      if (!isSpared()) {
        nodes.close(n, node);
      }
    } else {
      callers.repeat(node);
    }
  }

  /** Lets everything that is pending come to its end, with nothing going wrong any more. */
  private void calmDown() {
    world.mishaps.end();
    nodes.killAll();
    callers.settle();
    if (world.auditor.isContent() && !world.store.isOnRealTime()) {
      new Probes(world, nodes::restarted, callers::counted).run(nodes.size() > 1);
      nodes.killAll();
    }
    SimulatedNode node = nodes.alive(0);
    ManualSignalbox box = node.box;
    operator.resumeAll(box);
    for (int hour = 0; hour < LAST_HOURS; hour++) {
      box.poll();
      box.rest();
      world.clock.advance(Duration.ofHours(1));
      if (world.store.isOnRealTime()) {
        LockSupport.parkNanos(Duration.ofMillis(200).toNanos());
      }
    }
    giveUp(node);
    box.poll();
    box.rest();
    callers.settle();
  }

  /** A last sweep: whoever waits for a result that can't come, a fork for instance, is told so. */
  private void giveUp(SimulatedNode node) {
    long after = 0;
    List<Instance> page;
    do {
      page = node.box.instances(Query.ALL.that(InstanceRow.Status.LIVE).page(after, Query.MOST));
      for (Instance waiting : page) {
        after = waiting.number();
        String reply = world.auditor.missing(waiting);
        if (reply != null) {
          callers.ask(node, world.workload.givingUp(waiting.id(), reply));
        }
      }
    } while (page.size() == Query.MOST);
  }
}
