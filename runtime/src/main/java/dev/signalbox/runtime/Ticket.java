package dev.signalbox.runtime;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command on its way through the engine, with the one who waits for the reply. */
final class Ticket {
  final Command command;
  private final @Nullable CompletableFuture<Reply> waiting;
  private @Nullable Reply reply;
  int tries;

  /** A command that somebody waits for. */
  Ticket(Command command, CompletableFuture<Reply> waiting) {
    this.command = command;
    this.waiting = waiting;
  }

  /** A command of the engine's own. */
  Ticket(Command command) {
    this.command = command;
    this.waiting = null;
  }

  boolean isInternal() {
    return waiting == null;
  }

  /** What will be answered once it is durable. */
  void decided(@Nullable Reply decided) {
    reply = decided;
  }

  @Nullable Reply reply() {
    return reply;
  }

  void complete() {
    if (waiting != null && reply != null) {
      waiting.complete(reply);
    }
  }

  void fail(RuntimeException failure) {
    if (waiting != null) {
      waiting.completeExceptionally(failure);
    }
  }
}
