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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

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

  /** How often it is looked whose moment has come. */
  private static final long PACE_NANOS = 500_000;

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

  /**
   * Keeps the instances busy for the time, after a while of warming up. A caller that is alone has
   * a thread of the system, as one that calls now and then has.
   */
  Result run(long warmUpMillis, long millis) throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(atATime);
    Thread.Builder threads = atATime == 1 ? Thread.ofPlatform() : Thread.ofVirtual();
    for (int i = 0; i < atATime; i++) {
      threads.start(() -> live(ended));
    }
    Thread.sleep(warmUpMillis);
    Result result = measured(millis);
    stopping = true;
    ended.await();
    return result;
  }

  /**
   * Sends so many commands a second, each at its moment, whether those before are answered or not,
   * to instances that wait for nothing. A command that is sent late counts from when it should have
   * been sent. One thread does it all, so that what is measured has the processors.
   */
  Result paced(double perSecond, long settlingMillis, long millis) throws InterruptedException {
    Queue<Life> idle = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < atATime; i++) {
      idle.add(new Life(idle));
    }
    Thread pace = Thread.ofPlatform().start(() -> pace(idle, perSecond));
    Thread.sleep(settlingMillis);
    Result result = measured(millis);
    stopping = true;
    pace.join();
    while (idle.size() < atATime) {
      Thread.onSpinWait();
    }
    return result;
  }

  private void pace(Queue<Life> idle, double perSecond) {
    long start = System.nanoTime();
    long sent = 0;
    while (!stopping) {
      long due = (long) ((System.nanoTime() - start) * perSecond / 1e9);
      for (Life life = next(idle, sent, due); life != null; life = next(idle, sent, due)) {
        life.send(start + (long) (sent * 1e9 / perSecond));
        sent++;
      }
      LockSupport.parkNanos(PACE_NANOS);
    }
  }

  private static @Nullable Life next(Queue<Life> idle, long sent, long due) {
    return sent < due ? idle.poll() : null;
  }

  /** An instance that is given its next command by whoever paces. */
  private final class Life {
    private final Queue<Life> idle;
    private String id = "";
    private int next = EVENTS.size();

    Life(Queue<Life> idle) {
      this.idle = idle;
    }

    void send(long planned) {
      Command command;
      if (next == EVENTS.size()) {
        id = "run-" + serial.incrementAndGet();
        command = new Command.Start("run", id, Map.of(), PLANNER, null);
        next = 0;
      } else {
        command = to(id, EVENTS.get(next++));
      }
      var _ =
          box.submitAsync(command)
              .whenComplete((reply, failure) -> {
                answered(Objects.requireNonNull(reply), planned);
                idle.add(this);
              });
    }
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

  private void live(CountDownLatch ended) {
    try {
      while (!stopping) {
        String id = "run-" + serial.incrementAndGet();
        send(new Command.Start("run", id, Map.of(), PLANNER, null));
        for (Command.Send event : EVENTS) {
          send(to(id, event));
        }
      }
    } finally {
      ended.countDown();
    }
  }

  private void send(Command command) {
    long begin = System.nanoTime();
    answered(box.submit(command), begin);
  }

  private void answered(Reply reply, long begin) {
    if (reply instanceof Reply.Rejected(var rejection)) {
      throw new IllegalStateException(rejection.message());
    }
    done.increment();
    if (measuring) {
      latencies.add(System.nanoTime() - begin);
    }
  }
}
