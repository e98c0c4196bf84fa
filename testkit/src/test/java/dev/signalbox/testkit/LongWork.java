package dev.signalbox.testkit;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Lease;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Settings;
import dev.signalbox.runtime.Signalbox;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A handler that works until it is let go or told to stop, and the machine that asks for it. */
final class LongWork implements EffectHandler {
  private static final int PATIENCE = 12_000;

  /** A worker; what it does while digging ends with that, what it fills is filled in any case. */
  private static final String TEXT =
      """
      machine: worker
      context:
        rounds: { type: int, default: 0 }
      states:
        IDLE:
          waits: for work
          on: { dig: DIGGING, fill: FILLING }
        DIGGING:
          waits: for the hole
          entry:
            - assign: { rounds: ctx.rounds + 1 }
            - perform: { effect: dig, idempotent: IDEMPOTENT, during: DIGGING }
          on:
            again: DIGGING
            halt: IDLE
            end: OVER
            dig.succeeded: DUG
            dig.failed: OVER
            dig.unknown: UNCLEAR
        FILLING:
          waits: for the earth
          entry: [ { perform: { effect: dig, reply: fill, idempotent: IDEMPOTENT } } ]
          on:
            halt: WAITING
            fill.succeeded: DUG
            fill.failed: OVER
            fill.unknown: UNCLEAR
        WAITING:
          waits: for the earth
          on: { fill.succeeded: DUG, fill.failed: OVER, fill.unknown: UNCLEAR }
        DUG: { final: true }
        OVER: { final: true }
        UNCLEAR: { final: true }
      """;

  final BlockingQueue<Call> begun = new LinkedBlockingQueue<>();
  final BlockingQueue<Call> stopped = new LinkedBlockingQueue<>();
  final CountDownLatch go = new CountDownLatch(1);
  private final boolean stubborn;

  /** Work whose handler throws when it is told to stop. */
  LongWork() {
    this(false);
  }

  /**
   * @param stubborn whether it says that it succeeded although it was told to stop
   */
  LongWork(boolean stubborn) {
    this.stubborn = stubborn;
  }

  static Machine machine(boolean idempotent) {
    return MachineReader.read(
        new Source("worker.yaml", TEXT.replace("IDEMPOTENT", String.valueOf(idempotent))));
  }

  static Settings lease(Duration lease) {
    Settings s = Settings.DEFAULT;
    return new Settings(
        s.queue(),
        s.groupSize(),
        s.dataBytes(),
        s.cacheBytes(),
        s.refusals(),
        s.races(),
        lease,
        s.attempts(),
        s.firstDelay(),
        s.effectsAtOnce());
  }

  @Override
  public Outcome handle(Call call) throws InterruptedException {
    begun.add(call);
    try {
      go.await();
    } catch (InterruptedException e) {
      stopped.add(call);
      if (!stubborn) {
        throw e;
      }
    }
    return Outcome.succeeded();
  }

  Call awaitBegun() throws InterruptedException {
    return some(begun);
  }

  Call awaitStopped() throws InterruptedException {
    return some(stopped);
  }

  private static Call some(BlockingQueue<Call> calls) throws InterruptedException {
    Call call = calls.poll(20, TimeUnit.SECONDS);
    if (call == null) {
      throw new AssertionError("Expected a call within a minute, but there was none.");
    }
    return call;
  }

  /** Waits for what other threads do, as long as that may take. */
  static void eventually(BooleanSupplier condition) throws InterruptedException {
    Semaphore never = new Semaphore(0);
    for (int i = 0; i < PATIENCE; i++) {
      if (condition.getAsBoolean()) {
        return;
      }
      boolean _ = never.tryAcquire(5, TimeUnit.MILLISECONDS);
    }
    throw new AssertionError("Expected it to come about within a minute, but it did not.");
  }

  /** An effect is taken and its handler begins; then its process ends without a word. */
  static void begunByTheDead(Journal journal, String effect) {
    EffectRow taken = journal.claim("dead", List.of(effect), 1_000, 1).getFirst();
    if (!journal.begin(List.of(new Lease(taken.number(), taken.fence()))).isEmpty()) {
      throw new AssertionError("Expected the effect to be the one's who took it.");
    }
  }

  static EffectRow only(Signalbox box) {
    List<EffectRow> effects = box.journal().effects(0, 10);
    if (effects.size() != 1) {
      throw new AssertionError("Expected one effect, but there are " + effects.size() + ".");
    }
    return effects.getFirst();
  }

  static String start(Signalbox box, String event) {
    String id = box.start("worker", Map.of()).id();
    box.send(id, event);
    return id;
  }

  static List<String> states(Signalbox box, String id) {
    return box.instance(id).states();
  }

  /** What was refused, as text. */
  static List<String> refusals(Signalbox box, String id) {
    return box.refusals(id, 1, 100).stream()
        .map(entry -> new String(entry.body(), StandardCharsets.UTF_8))
        .toList();
  }
}
