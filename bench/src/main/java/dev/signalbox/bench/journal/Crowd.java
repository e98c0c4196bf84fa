package dev.signalbox.bench.journal;

import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Many instances that live at the same time. */
final class Crowd {
  private static final int AT_ONCE = 2_048;

  private Crowd() {}

  /** Starts the instances with these numbers in their ids. */
  static void start(
      Signalbox box,
      String machine,
      long from,
      long to,
      LongFunction<Map<String, @Nullable Object>> input)
      throws InterruptedException {
    Semaphore room = new Semaphore(AT_ONCE);
    for (long i = from; i < to; i++) {
      room.acquire();
      var _ =
          box.submitAsync(new Command.Start(machine, id(i), input.apply(i), Actor.SYSTEM, null))
              .whenComplete((reply, failure) -> room.release());
    }
    room.acquire(AT_ONCE);
  }

  static String id(long number) {
    return "i-" + number;
  }

  /** Commands a second, each to any of the instances. */
  static double disturb(Signalbox box, String event, long count, int callers, long millis)
      throws InterruptedException {
    LongAdder done = new LongAdder();
    boolean[] stop = new boolean[1];
    CountDownLatch ended = new CountDownLatch(callers);
    for (int i = 0; i < callers; i++) {
      Thread.ofVirtual()
          .start(() -> {
            try {
              while (!stop[0]) {
                long target = ThreadLocalRandom.current().nextLong(count);
                Reply reply = box.submit(Command.Send.of(id(target), event, null));
                if (reply instanceof Reply.Rejected(var rejection)) {
                  throw new IllegalStateException(rejection.message());
                }
                done.increment();
              }
            } finally {
              ended.countDown();
            }
          });
    }
    Thread.sleep(millis / 4);
    long before = done.sum();
    long start = System.nanoTime();
    Thread.sleep(millis);
    double perSecond = (done.sum() - before) / ((System.nanoTime() - start) / 1e9);
    stop[0] = true;
    ended.await();
    return perSecond;
  }
}
