package dev.signalbox.testkit;

import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.machine.Machine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.Random;

/**
 * What the parts of one simulation have in common: the dice, the time, the store, whoever asks for
 * something, and whoever looks at all of it.
 */
final class World {
  final Simulation.Plan plan;
  final Random random;
  final ManualClock clock = new ManualClock();
  final SimulatedStore store;

  /** The store as the auditor reads it. */
  final Journal view;

  final Auditor auditor;
  final Mishaps mishaps;
  final Workload workload;
  final Intruder intruder;

  World(Simulation.Plan plan) {
    this.plan = plan;
    this.random = new Random(plan.seed());
    this.store = plan.store().apply(clock);
    this.view = view(store);
    this.auditor = new Auditor(view);
    this.mishaps = new Mishaps(random);
    Machine first = plan.machines().getFirst();
    this.workload = new Workload(first, plan.instances(), random, view);
    this.intruder = new Intruder(view, random);
  }

  /** The time of the store, by which the clocks of nodes go. */
  InstantSource now() {
    return store.isOnRealTime() ? InstantSource.system() : clock;
  }

  /** Whether to start a node takes much longer than to be one. */
  boolean isSlowToOpen() {
    return !store.kind().equals("memory");
  }

  /** Something came out of a node that is not the store's failure. */
  void fault(Throwable e) {
    if (!FaultyStore.isSimulated(e)) {
      auditor.fault(e);
    }
  }

  /**
   * The store as the auditor reads it: what is committed can be read at once, so that it waits for
   * nobody before it says that something is wrong.
   */
  private static Journal view(SimulatedStore store) {
    return (Journal)
        Proxy.newProxyInstance(
            Journal.class.getClassLoader(),
            new Class<?>[] {Journal.class},
            (_, method, arguments) -> {
              try {
                return method.getName().equals("isShared")
                    ? (Object) false
                    : method.invoke(store.view(), arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
