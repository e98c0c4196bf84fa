package dev.signalbox.testkit;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Lease;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.NotStartedException;
import dev.signalbox.runtime.Outcome;
import java.time.Duration;
import java.util.Map;

/** What does the effects in a simulation: well, badly, late, or not to its end. */
final class SimulatedHandler {
  private final World world;
  private final Runnable meanwhile;
  private int hanging;

  /**
   * @param meanwhile lets something else happen
   */
  SimulatedHandler(World world, Runnable meanwhile) {
    this.world = world;
    this.meanwhile = meanwhile;
  }

  /** Whether a handler hangs, so that what happens now happens within it. */
  boolean hangs() {
    return hanging > 0;
  }

  Outcome handle(EffectHandler.Call call, SimulatedNode node) {
    Mishaps mishaps = world.mishaps;
    Lease lease = node.lease;
    world.auditor.performed(call);
    if (mishaps.chance(30)) {
      mishaps.count(Fault.CRASH_IN_HANDLER);
      throw node.store.death();
    }
    if (mishaps.chance(60)) {
      mishaps.count(Fault.HANDLER_FAILS);
      if (world.random.nextInt(3) == 0) {
        world.auditor.notDone(call);
        throw new NotStartedException("the handler did not begin");
      }
      throw new IllegalStateException("the handler failed");
    }
    if (mishaps.chance(30)) {
      mishaps.count(Fault.HANDLER_ENDS_IN_ERROR);
      throw new StackOverflowError(FaultyStore.SIMULATED);
    }
    if (hanging == 0 && mishaps.chance(60)) {
      hang(node);
    }
    int dice = world.random.nextInt(10);
    if (dice < 2 && !mishaps.areOver()) {
      world.auditor.notDone(call);
      int longest = world.store.isOnRealTime() ? 50 : 60_000;
      return new Outcome.RetryAfter(Duration.ofMillis(world.random.nextInt(longest)), "not now");
    }
    if (mishaps.chance(30)) {
      mishaps.count(Fault.CRASH_IN_HANDLER);
      throw node.store.death();
    }
    EffectRow now = lease == null ? null : world.view.effect(lease.effect());
    if (lease != null
        && now != null
        && now.key().equals(call.key())
        && now.fence() == lease.fence()) {
      node.answered(now);
    }
    return dice < 4 ? Outcome.failed(Map.of("why", "no")) : Outcome.succeeded(Map.of("n", dice));
  }

  /** The world goes on while a handler does not. */
  private void hang(SimulatedNode node) {
    world.mishaps.count(Fault.HANDLER_HANGS);
    hanging++;
    try {
      for (int i = world.random.nextInt(12); i > 0; i--) {
        world.clock.advance(Duration.ofSeconds(world.random.nextInt(20)));
        meanwhile.run();
      }
    } finally {
      hanging--;
    }
    if (!node.isAlive()) {
      throw new Mishaps.Death();
    }
  }
}
