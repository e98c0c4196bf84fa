package dev.signalbox.testkit;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.JournalException;
import dev.signalbox.runtime.Command;
import java.util.Objects;

/** What an {@link Intruder} does to the store while nodes live, and what a sweep does about it. */
final class Tampering {
  /** How often a sweep tries to put one row right while the store fails. */
  private static final int TRIES = 1_000;

  /** Tries in which the store fails; one step of a node is a single chance, and most fail. */
  private static final int IN_TROUBLE = 30;

  private final World world;
  private final Nodes nodes;
  private final Callers callers;

  Tampering(World world, Nodes nodes, Callers callers) {
    this.world = world;
    this.nodes = nodes;
    this.callers = callers;
  }

  /**
   * A row changes past the runtime, and a node that starts just then sweeps before it does anything
   * else. A node that took a step on a spoilt row could not know; so nobody else moves meanwhile,
   * but what the others have in memory or on its way is still there afterwards.
   */
  void spoil(int n) {
    world.auditor.follow();
    InstanceRow before = world.intruder.spoil();
    if (before == null) {
      return;
    }
    world.mishaps.count(Fault.ROW_CHANGED);
    Command.Correct correct = world.workload.correction(before.id());
    for (int i = 0; i < TRIES && !hasMovedOn(before); i++) {
      world.mishaps.rest(i >= IN_TROUBLE);
      nodes.kill(n);
      try {
        SimulatedNode sweeping = nodes.alive(n);
        if (callers.submit(sweeping, correct).isDone()) {
          // The store failed at the door, and nothing else may be done with the row as it is.
          continue;
        }
        boolean _ = sweeping.box.step();
        boolean _ = sweeping.box.commit();
      } catch (JournalException e) {
        // The next one sweeps.
      } catch (RuntimeException | Error e) {
        world.fault(e);
      }
    }
    world.mishaps.rest(false);
    nodes.bury(n);
    world.auditor.corrected(before);
  }

  private boolean hasMovedOn(InstanceRow before) {
    InstanceRow now = Objects.requireNonNull(world.view.load(before.number()));
    return now.sequence() > before.sequence();
  }

  /** An effect is gone, and a sweep notices at once or only when everything has come to rest. */
  void takeEffect(SimulatedNode node) {
    if (nodes.haveAttempts()) {
      // Somebody may have it already.
      return;
    }
    EffectRow effect = world.intruder.takeEffect();
    if (effect == null) {
      return;
    }
    world.mishaps.count(Fault.EFFECT_TAKEN);
    world.auditor.taken(effect);
    if (world.random.nextBoolean()) {
      callers.ask(node, world.workload.givingUp(Auditor.instance(effect.key()), effect.reply()));
    }
  }
}
