package dev.signalbox.services.task;

import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks the machines for what a {@link Dispatcher} has decided, and answers whoever claimed it. What
 * a machine refuses goes back to whoever looks after it.
 *
 * <p>Any thread; it holds no lock and nothing in memory.
 */
final class LeaseGiver {
  private final Host host;
  private final Consumer<String> lookAgain;
  private final Consumer<List<String>> arrived;
  private final Consumer<Claim> retake;

  /** One task of a grant, on its way. */
  private record Given(Ready task, CompletableFuture<Reply> assigned) {}

  /**
   * @param lookAgain takes a task whose state is not known any more
   * @param arrived takes the tasks of a grant when the machines have answered for all of them
   * @param retake takes a claim that got nothing, because all of it went to others
   */
  LeaseGiver(
      Host host,
      Consumer<String> lookAgain,
      Consumer<List<String>> arrived,
      Consumer<Claim> retake) {
    this.host = host;
    this.lookAgain = lookAgain;
    this.arrived = arrived;
    this.retake = retake;
  }

  /** For the one who claimed, whoever's thread brought the two together. */
  void give(Grant grant) {
    grant.claim().caller().run(() -> giveNow(grant));
  }

  private void giveNow(Grant grant) {
    Claim claim = grant.claim();
    List<Given> given = new ArrayList<>(grant.tasks().size());
    List<String> ids = new ArrayList<>(grant.tasks().size());
    Set<String> kinds = new HashSet<>();
    List<CompletableFuture<Reply>> all = new ArrayList<>();
    for (Ready task : grant.tasks()) {
      Command assign =
          Command.Send.of(
                  task.id(),
                  "assigned",
                  Map.of(
                      "worker", claim.worker(), "fence", task.fence() + 1, "start", claim.start()))
              .by(Dispatcher.QUEUE);
      CompletableFuture<Reply> assigned = asked(() -> host.submitForCaller(Task.MACHINE, assign));
      all.add(assigned);
      given.add(new Given(task, assigned));
      ids.add(task.id());
      kinds.add(task.kind());
    }
    CompletableFuture<Reply> beside =
        asked(() -> claim.companion().taking(ids, List.copyOf(kinds)));
    all.add(beside);
    var _ =
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
            .whenComplete((_, _) -> {
              try {
                claim.caller().run(() -> settle(claim, given, beside));
              } catch (RuntimeException e) {
                // Whoever asked must not wait for ever.
                claim.answer().completeExceptionally(e);
              }
            });
  }

  /** What is asked of others may fail at once; then it has failed, and nothing else with it. */
  private static CompletableFuture<Reply> asked(Supplier<CompletableFuture<Reply>> what) {
    try {
      return what.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Every command of the grant has its answer. */
  private void settle(Claim claim, List<Given> given, CompletableFuture<Reply> beside) {
    arrived.accept(given.stream().map(one -> one.task.id()).toList());
    List<Given> leased = new ArrayList<>(given.size());
    for (Given one : given) {
      if (accepted(one.assigned)) {
        leased.add(one);
      } else {
        lookAgain.accept(one.task.id());
      }
    }
    if (!accepted(beside)) {
      leased.forEach(one -> handBack(one.task, claim.start() ? "failed" : "refused"));
      claim
          .answer()
          .complete(
              new Polled.Refused(
                  rejection(beside, "Expected the worker to take tasks, but the store failed.")));
    } else if (leased.isEmpty()) {
      retake.accept(claim);
    } else {
      answer(claim, leased);
    }
  }

  private static boolean accepted(CompletableFuture<Reply> reply) {
    return !reply.isCompletedExceptionally() && reply.join() instanceof Reply.Accepted;
  }

  private static Rejection rejection(CompletableFuture<Reply> reply, String otherwise) {
    return !reply.isCompletedExceptionally()
            && reply.join() instanceof Reply.Rejected(Rejection rejection)
        ? rejection
        : new Rejection(Rejection.Code.BUSY, otherwise, List.of());
  }

  private void handBack(Ready task, String event) {
    Map<String, Object> data = new HashMap<>();
    data.put("fence", task.fence() + 1);
    data.put("error", "the worker takes nothing any more");
    if (event.equals("failed")) {
      data.put("cause", Cause.WORKER_FAILURE.word());
    }
    var _ =
        host.submitForCaller(
                Task.MACHINE, Command.Send.of(task.id(), event, data).by(Dispatcher.QUEUE))
            .whenComplete((_, _) -> lookAgain.accept(task.id()));
  }

  private void answer(Claim claim, List<Given> leased) {
    if (leased.stream().allMatch(one -> one.task.inputKept())) {
      claim.answer(leased.stream().map(one -> lease(claim, one.task, one.task.input())).toList());
    } else {
      // A large input is read where waiting hurts nobody.
      Thread.ofVirtual()
          .start(() -> {
            try {
              claim.answer(
                  leased.stream().map(one -> lease(claim, one.task, input(one.task))).toList());
            } catch (RuntimeException e) {
              claim.answer().completeExceptionally(e);
            }
          });
    }
  }

  private @Nullable Object input(Ready task) {
    if (task.inputKept()) {
      return task.input();
    }
    Instance instance = host.find(task.id());
    return instance == null ? null : instance.context().get("input");
  }

  private static Lease lease(Claim claim, Ready task, @Nullable Object input) {
    return new Lease(
        task.id(),
        task.fence() + 1,
        claim.worker(),
        claim.start(),
        task.kind(),
        task.owner(),
        task.priority(),
        input,
        task.limit(),
        task.executions() + 1);
  }
}
