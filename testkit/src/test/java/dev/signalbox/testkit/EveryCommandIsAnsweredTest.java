package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Signalbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is asked of any node is answered, however many ask the same, and whether or not the node
 * closes or its connections are cut meanwhile. {@code -Danswers.seconds=600} is the long run.
 */
class EveryCommandIsAnsweredTest {
  private static final int SECONDS = Integer.getInteger("answers.seconds", 5);
  private static final long SEED = Long.getLong("answers.seed", 1);
  private static final int NODES = 3;
  private static final int CALLERS = 6;
  private static final int INSTANCES = 24;

  /** Commands of one caller that may be without an answer. */
  private static final int AT_ONCE = 32;

  /** Far longer than anything takes, cut connections included. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final Machine KNOT =
      MachineReader.read(
          new Source(
              "knot.yaml",
              """
              machine: knot
              context:
                n: { type: int, default: 0 }
              states:
                ON:
                  waits: for more
                  after: { 200ms: { to: ON, assign: { n: ctx.n + 1 } } }
                  on:
                    more: { assign: { n: ctx.n + 1 } }
                    odd: { when: ctx.n % 2 == 1, assign: { n: ctx.n + 1 } }
                    tell: { do: [ { send: { event: more, to: { instance: event.whom } } } ] }
                    ring: { do: [ { perform: { effect: bell, idempotent: true } } ] }
                    bell.succeeded: { }
                    bell.failed: { }
                    error.communication: { }
                    off: OFF
                OFF: { final: true }
              """));

  @TempDir Path folder;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();
  private final ConcurrentLinkedQueue<String> unanswered = new ConcurrentLinkedQueue<>();

  private record Asked(Command command, CompletableFuture<Reply> reply) {}

  @Test
  void on_several_nodes_of_one_database(TestReporter report) throws Exception {
    try (FlushingPostgres server = new FlushingPostgres(folder)) {
      List<Signalbox> nodes = new ArrayList<>();
      for (int i = 0; i < NODES; i++) {
        nodes.add(open(server.url("node" + i)));
      }
      nodes.getFirst().publish(KNOT);
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < NODES * CALLERS; i++) {
        Signalbox box = nodes.get(i % NODES);
        Random random = new Random(SEED * 1_000 + i);
        callers.add(Thread.ofPlatform().start(() -> ask(box, random)));
      }
      Random random = new Random(SEED);
      Semaphore never = new Semaphore(0);
      for (int i = 0; i < SECONDS; i++) {
        boolean _ = never.tryAcquire(1, TimeUnit.SECONDS);
        if (i % 5 == 2) {
          server.cutOff("node" + random.nextInt(NODES));
        }
      }
      // Commands still come while the nodes close; those too are answered.
      for (Signalbox node : nodes) {
        node.close();
      }
      for (Thread caller : callers) {
        caller.join();
      }
    }
    assertThat(unanswered).isEmpty();
    assertThat(answered.get()).isGreaterThan(100L * SECONDS);
    report.publishEntry("answered", answered + ", of these failed " + failed);
  }

  private static Signalbox open(String url) {
    Signalbox box = Signalbox.open(url);
    box.handle("bell", _ -> Outcome.succeeded());
    return box;
  }

  /** Asks until the node is closed, with some commands always on their way. */
  private void ask(Signalbox box, Random random) {
    List<Asked> open = new ArrayList<>();
    boolean closed = false;
    while (!closed) {
      Command command = command(random);
      open.add(new Asked(command, box.submitAsync(command)));
      if (open.size() >= AT_ONCE) {
        closed = await(open.remove(random.nextInt(open.size())));
      }
    }
    open.forEach(this::await);
  }

  /** Waits for the answer; true when it is that the node is closed. */
  private boolean await(Asked asked) {
    try {
      Reply _ = asked.reply().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      answered.incrementAndGet();
      return false;
    } catch (ExecutionException e) {
      answered.incrementAndGet();
      failed.incrementAndGet();
      return e.getCause() instanceof IllegalStateException closed
          && String.valueOf(closed.getMessage()).contains("closed");
    } catch (TimeoutException e) {
      unanswered.add(asked.command().toString());
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static Command command(Random random) {
    String id = "k" + random.nextInt(INSTANCES) + "-" + random.nextInt(50);
    String key = random.nextInt(4) == 0 ? "key" + random.nextInt(200) : null;
    return switch (random.nextInt(16)) {
      case 0, 1 -> new Command.Start("knot", id, Map.of(), Actor.SYSTEM, key);
      case 2 -> new Command.Pause(id, Command.Clocks.RUNNING, Actor.SYSTEM, key);
      case 3, 4 -> new Command.Resume(id, Actor.SYSTEM, key);
      case 5 -> send(id, "off", null, key);
      case 6 -> new Command.Cancel(id, Actor.SYSTEM, null, key);
      case 7, 8 -> send(id, "tell", Map.of("whom", "k" + random.nextInt(INSTANCES) + "-0"), key);
      case 9 -> send(id, "ring", null, key);
      case 10 -> send(id, "odd", null, key);
      case 11 -> new Command.Start("knot", null, Map.of("n", 5L), Actor.SYSTEM, null);
      default -> send("k" + random.nextInt(3) + "-" + random.nextInt(20), "more", null, key);
    };
  }

  private static Command send(
      String id, String event, @Nullable Map<String, Object> data, @Nullable String key) {
    return new Command.Send(id, event, data, Actor.SYSTEM, key, null);
  }
}
