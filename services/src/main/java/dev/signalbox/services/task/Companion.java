package dev.signalbox.services.task;

import dev.signalbox.runtime.Reply;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Whoever asks for tasks on a worker's behalf, and writes down what the worker does. */
public interface Companion {

  /**
   * These tasks are about to be leased to the worker. What is sent from here shares their commit;
   * when it is refused, they are handed back.
   */
  CompletableFuture<Reply> taking(List<String> tasks, Collection<String> kinds);

  /** There is nothing to take for now; the worker waits. */
  void waiting();
}
