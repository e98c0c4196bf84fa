package dev.signalbox.services.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Receipt;
import dev.signalbox.runtime.Reply;
import dev.signalbox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two nodes on one store, workers that report late, twice or never, tasks that are cancelled, nodes
 * that die: whatever the order, a task has one holder, and a late result changes nothing.
 */
class TaskInterleavingsTest {
  private static final int STEPS = 400;
  private static final List<Priority> PRIORITIES =
      List.of(Priority.HIGH, Priority.NORMAL, Priority.LOW);

  static List<Long> seeds() {
    int many = Integer.getInteger("interleavings", 40);
    List<Long> seeds = new ArrayList<>();
    for (long seed = 1; seed <= many; seed++) {
      seeds.add(seed);
    }
    return seeds;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void a_task_has_one_holder_and_a_late_result_changes_nothing(long seed) throws Exception {
    Scene scene = new Scene(seed);
    for (int i = 0; i < STEPS; i++) {
      scene.step();
    }
    scene.finish();
    scene.judge();
  }

  /** One run. */
  private static final class Scene {
    private final Random random;
    private final ManualClock clock = new ManualClock();
    private final MemoryJournal journal = new MemoryJournal(clock, true);
    private final SteppedQueue[] nodes = new SteppedQueue[2];
    private final List<String> tasks = new ArrayList<>();
    private final List<Lease> leases = new ArrayList<>();
    private int serial;

    /** Reports that were accepted: the sequence number of the entry, and the fence it came with. */
    private final Map<String, Map<Long, Long>> accepted = new HashMap<>();

    Scene(long seed) {
      random = new Random(seed);
      nodes[0] = new SteppedQueue(journal, clock, seed);
      nodes[1] = new SteppedQueue(journal, clock, seed + 1_000);
    }

    private SteppedQueue node() {
      return nodes[random.nextInt(2)];
    }

    void step() {
      SteppedQueue node = node();
      switch (random.nextInt(14)) {
        case 0, 1 -> submit(node);
        case 2, 3, 4 -> take(node);
        case 5, 6, 7 -> report(node);
        case 8 -> cancel(node);
        case 9 -> clock.advance(Duration.ofMillis(random.nextInt(40_000)));
        case 10 -> node.queue.tick();
        case 11 -> {
          node.box.step();
        }
        case 12 -> {
          if (node.box.toAppend() > 0) {
            boolean _ = node.box.commit(random.nextInt(node.box.toAppend()));
          }
          node.box.poll();
        }
        default -> {
          if (random.nextInt(10) == 0) {
            // The process is gone, with everything that was not committed.
            int which = random.nextInt(2);
            nodes[which] = new SteppedQueue(journal, clock, random.nextLong());
          } else {
            node.rest();
          }
        }
      }
    }

    private void submit(SteppedQueue node) {
      NewTask task =
          NewTask.of(random.nextBoolean() ? "a" : "b", "ann")
              .priority(PRIORITIES.get(random.nextInt(3)))
              .limit(Duration.ofSeconds(1 + random.nextInt(60)));
      if (!tasks.isEmpty() && random.nextInt(4) == 0) {
        task = task.after(tasks.get(random.nextInt(tasks.size())));
      }
      if (random.nextInt(3) == 0) {
        task = task.key("key-" + random.nextInt(20));
      }
      var _ =
          node.queue
              .submit(task, Actor.SYSTEM)
              .thenAccept(reply -> {
                if (reply instanceof Reply.Accepted(Receipt receipt)) {
                  tasks.add(receipt.instance());
                }
              });
    }

    private void take(SteppedQueue node) {
      var _ =
          node.queue
              .take(
                  "w" + random.nextInt(4),
                  random.nextInt(3) == 0 ? List.of("a") : List.of(),
                  1 + random.nextInt(3),
                  random.nextInt(3) > 0,
                  Duration.ofSeconds(random.nextInt(20)),
                  SteppedQueue.UNWATCHED)
              .thenAccept(polled -> {
                if (polled instanceof Polled.Granted(List<Lease> given)) {
                  leases.addAll(given);
                }
              });
    }

    private void report(SteppedQueue node) {
      if (leases.isEmpty()) {
        return;
      }
      // Mostly a young lease, sometimes one that is long over; any node will do.
      int most = random.nextInt(3) == 0 ? leases.size() : Math.min(leases.size(), 4);
      Lease lease = leases.get(leases.size() - 1 - random.nextInt(most));
      String key = random.nextInt(3) == 0 ? "r" + serial++ : null;
      CompletableFuture<Reply> reply =
          switch (random.nextInt(6)) {
            case 0 -> node.queue.started(lease.task(), lease.fence(), lease.worker(), key);
            case 1 -> node.queue.heartbeat(lease.task(), lease.fence(), lease.worker());
            case 2 -> node.queue.refuse(lease.task(), lease.fence(), lease.worker(), "no", key);
            case 3 ->
                node.queue.failed(
                    lease.task(),
                    lease.fence(),
                    lease.worker(),
                    random.nextInt(5) == 0 ? Cause.PERMANENT_ERROR : Cause.TEMPORARY_ERROR,
                    "broke",
                    key);
            default -> node.queue.succeeded(lease.task(), lease.fence(), lease.worker(), 1, key);
          };
      var _ =
          reply.thenAccept(answer -> {
            if (answer instanceof Reply.Accepted(Receipt receipt)) {
              accepted
                  .computeIfAbsent(lease.task(), _ -> new HashMap<>())
                  .put(receipt.sequence(), lease.fence());
            }
          });
    }

    private void cancel(SteppedQueue node) {
      if (!tasks.isEmpty() && random.nextInt(4) == 0) {
        var _ =
            node.queue.cancel(
                tasks.get(random.nextInt(tasks.size())), "a test", Actor.SYSTEM, null);
      }
    }

    /** From here on a worker does what it gets, until nothing is left. */
    void finish() {
      for (int i = 0; i < 200 && !isDone(); i++) {
        for (SteppedQueue node : nodes) {
          node.box.poll();
          node.rest();
          for (Lease lease : node.take("honest", 50)) {
            node.succeed(lease);
          }
        }
        clock.advance(Duration.ofSeconds(60));
      }
    }

    private List<Instance> all() {
      return nodes[0].box.instances(Query.ALL.ofMachine("task").page(0, 1_000));
    }

    private boolean isDone() {
      return all().stream().noneMatch(i -> Task.of(i).outcome().isEmpty());
    }

    void judge() throws Json.SyntaxException {
      for (Instance instance : all()) {
        assertThat(Task.of(instance).outcome()).as(instance.id()).isNotEmpty();
        TaskJudge.judge(
            nodes[0].box, instance.id(), accepted.getOrDefault(instance.id(), Map.of()));
      }
    }
  }
}
