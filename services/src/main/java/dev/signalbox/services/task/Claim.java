package dev.signalbox.services.task;

import dev.signalbox.runtime.CallerTrace;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A worker that asks for tasks.
 *
 * @param kinds that it takes; empty for all
 * @param most tasks that it takes at once
 * @param start whether what it gets counts as started at once
 * @param until when it stops waiting, in milliseconds since 1970
 * @param caller whom it asks for
 */
record Claim(
    String worker,
    Collection<String> kinds,
    int most,
    boolean start,
    long until,
    Companion companion,
    CallerTrace caller,
    CompletableFuture<Polled> answer) {

  void answer(List<Lease> leases) {
    answer.complete(new Polled.Granted(leases));
  }
}
