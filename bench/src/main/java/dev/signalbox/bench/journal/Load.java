package dev.signalbox.bench.journal;

import com.sun.management.OperatingSystemMXBean;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The run lifecycle, over and over, for a number of instances at a time: a start and seven events,
 * each sent when the one before is durable.
 */
final class Load {
  private static final Actor PLANNER = new Actor(Actor.Kind.USER, "planner", List.of());

  private static final List<Command.Send> EVENTS =
      List.of(
          Command.Send.of("", "plan", null),
          Command.Send.of("", "plan_ready", Map.of("tools", List.of("lint", "test"))),
          Command.Send.of("", "high_risk_action", null),
          Command.Send.of("", "approved", null),
          Command.Send.of("", "all_tools_passed", null),
          Command.Send.of("", "tests_passed", null),
          Command.Send.of("", "audit_passed", null));

  private final Signalbox box;
  private final int atATime;
  private final AtomicLong serial;
  private final LongAdder done = new LongAdder();
  private final Latencies latencies = new Latencies();
  private volatile boolean measuring;
  private volatile boolean stopping;

  Load(Signalbox box, int atATime, AtomicLong serial) {
    this.box = box;
    this.atATime = atATime;
    this.serial = serial;
  }

  /**
   * What a run of the load gave.
   *
   * @param cpuMicros processor time of the whole process for each transition
   */
  record Result(double perSecond, double cpuMicros, Latencies latencies) {}

  /** What one transition writes, on the average over a life. */
  record Bytes(int snapshot, int entry) {}

  /** Lets one instance live and looks at what each transition left behind. */
  Bytes bytes() {
    String id = "run-" + serial.incrementAndGet();
    List<Command> life = new ArrayList<>();
    life.add(new Command.Start("run", id, Map.of(), PLANNER, null));
    EVENTS.forEach(event -> life.add(to(id, event)));
    int snapshots = 0;
    for (Command command : life) {
      box.submit(command);
      snapshots += Objects.requireNonNull(box.journal().load(id)).snapshot().length;
    }
    int entries =
        box.history(id, 1, life.size()).stream().mapToInt(entry -> entry.body().length).sum();
    return new Bytes(snapshots / life.size(), entries / life.size());
  }

  private static Command.Send to(String id, Command.Send event) {
    return new Command.Send(id, event.event(), event.data(), PLANNER, null, null);
  }

  /** Keeps the instances busy for the time, after a while of warming up. */
  Result run(long warmUpMillis, long millis) throws InterruptedException {
    return paced(Double.POSITIVE_INFINITY, warmUpMillis, millis);
  }

  /** The same at a given rate over all instances. */
  Result paced(double perSecond, long warmUpMillis, long millis) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(atATime);
    long gap = (long) (1e9 * atATime / perSecond);
    for (int i = 0; i < atATime; i++) {
      long offset = gap * i / atATime;
      Thread.ofVirtual()
          .start(() -> {
            LockSupport.parkNanos(offset);
            live(ended, gap);
          });
    }
    Thread.sleep(warmUpMillis);
    Result result = measured(millis);
    stopping = true;
    ended.await();
    return result;
  }

  private Result measured(long millis) throws InterruptedException {
    measuring = true;
    long before = done.sum();
    long cpu = cpuNanos();
    long start = System.nanoTime();
    Thread.sleep(millis);
    long count = done.sum() - before;
    double seconds = (System.nanoTime() - start) / 1e9;
    double cpuMicros = (cpuNanos() - cpu) / 1e3 / Math.max(1, count);
    measuring = false;
    return new Result(count / seconds, cpuMicros, latencies);
  }

  static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private void live(CountDownLatch ended, long gap) {
    try {
      long next = System.nanoTime();
      while (!stopping) {
        String id = "run-" + serial.incrementAndGet();
        next = send(new Command.Start("run", id, Map.of(), PLANNER, null), next, gap);
        for (Command.Send event : EVENTS) {
          next = send(to(id, event), next, gap);
        }
      }
    } finally {
      ended.countDown();
    }
  }

  private long send(Command command, long planned, long gap) {
    long begin = System.nanoTime();
    if (gap > 0) {
      while (begin < planned && !stopping) {
        LockSupport.parkNanos(planned - begin);
        begin = System.nanoTime();
      }
      // A command that was sent late counts from when it should have been sent.
      begin = planned;
    }
    Reply reply = box.submit(command);
    if (reply instanceof Reply.Rejected(var rejection)) {
      throw new IllegalStateException(rejection.message());
    }
    done.increment();
    if (measuring) {
      latencies.add(System.nanoTime() - begin);
    }
    return planned + gap;
  }
}
