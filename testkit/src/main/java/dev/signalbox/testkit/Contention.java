package dev.signalbox.testkit;

import java.time.Duration;

/**
 * Two nodes that want the same instance at the same time, so that one of them comes second again
 * and again and asks for a turn of its own.
 */
final class Contention {
  private static final int RACES = 6;
  private static final int MOST_STEPS = 4;

  private final World world;
  private final Callers callers;

  Contention(World world, Callers callers) {
    this.world = world;
    this.callers = callers;
  }

  void compete(SimulatedNode slow, SimulatedNode fast) {
    String id = world.workload.someone();
    callers.ask(slow, world.workload.forInstance(id));
    for (int race = 0; race < RACES && slow.isAlive() && fast.isAlive(); race++) {
      // Long enough for a node to try again after a failure.
      world.clock.advance(Duration.ofMillis(250));
      for (int i = 0; i < MOST_STEPS && slow.box.toAppend() == 0; i++) {
        boolean _ = slow.box.step();
      }
      callers.ask(fast, world.workload.forInstance(id));
      for (int i = 0; i < MOST_STEPS; i++) {
        boolean _ = fast.box.step();
        boolean _ = fast.box.commit();
      }
      while (slow.box.toAppend() > 0) {
        boolean _ = slow.box.commit();
      }
    }
  }
}
