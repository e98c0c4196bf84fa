package dev.signalbox.bench.peers;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A crowd of runs, each replaced by a new one when it ends; the crowd only grows. */
final class Lives {
  private final Peer peer;
  private final LongAdder transitions;
  private final AtomicLong serial = new AtomicLong();
  private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
  private int running;

  Lives(Peer peer, LongAdder transitions) {
    this.peer = peer;
    this.transitions = transitions;
  }

  /** Lets this many runs live at a time. */
  void grow(int atATime) {
    for (; running < atATime; running++) {
      Thread.ofVirtual().start(this::live);
    }
  }

  private void live() {
    try {
      while (failure.get() == null) {
        peer.live("run-" + serial.incrementAndGet());
      }
    } catch (Exception e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Waits a while and gives the transitions a second in it. */
  double perSecond(long millis) throws Exception {
    long before = transitions.sum();
    long start = System.nanoTime();
    Thread.sleep(millis);
    double perSecond = (transitions.sum() - before) / ((System.nanoTime() - start) / 1e9);
    Exception failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    return perSecond;
  }
}
