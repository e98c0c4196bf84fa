package dev.signalbox.server.api;

import dev.signalbox.services.system.ProblemException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Checks of machines that callers send, which may take as long as their authors like: off the
 * threads of requests, few at a time, one for each caller, each within a time. One whose time is
 * over, or whose caller waits no more, is interrupted; its caller's next one is taken when it has
 * really ended.
 */
final class BoundedChecks implements AutoCloseable {
  private static final int THREADS = 1;
  private static final int WAITING = 8;

  private final Duration budget;
  private final Set<String> busy = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor pool =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(WAITING),
          Thread.ofPlatform().daemon().name("signalbox-check-", 0).factory());

  BoundedChecks(Duration budget) {
    this.budget = budget;
  }

  /**
   * What the check gives.
   *
   * @param who the credential
   * @throws ProblemException when the caller has one under way, too many wait, or it takes too long
   */
  <T> T run(String who, Callable<T> check) {
    if (!busy.add(who)) {
      throw tooMany("Expected one check at a time, but another one of the caller's is under way.");
    }
    AtomicBoolean taken = new AtomicBoolean();
    Future<T> result;
    try {
      result =
          pool.submit(() -> {
            if (!taken.compareAndSet(false, true)) {
              throw new CancellationException("It was given up before it began.");
            }
            try {
              return check.call();
            } finally {
              busy.remove(who);
            }
          });
    } catch (RejectedExecutionException e) {
      busy.remove(who);
      throw tooMany("Expected to check a machine, but too many wait for it.");
    }
    try {
      return result.get(budget.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      end(result, taken, who);
      throw ProblemException.of(
          422,
          "takes-too-long",
          "Expected to check the machine within %d seconds, but it takes longer."
              .formatted(budget.toSeconds()),
          "Check it with 'signalbox check', which has no such limit.");
    } catch (InterruptedException e) {
      end(result, taken, who);
      Thread.currentThread().interrupt();
      throw tooMany("Expected to wait for the check, but the server is shutting down.");
    } catch (CancellationException e) {
      throw tooMany("Expected to wait for the check, but it was ended.");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends it; one that never began frees its caller at once, any other when it has ended. */
  private void end(Future<?> result, AtomicBoolean taken, String who) {
    result.cancel(true);
    if (taken.compareAndSet(false, true)) {
      busy.remove(who);
      pool.purge();
    }
  }

  private static ProblemException tooMany(String message) {
    return ProblemException.of(
        429, "too-many-requests", message, "Wait until it is done and send again.");
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
