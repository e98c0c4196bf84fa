package dev.signalbox.runtime;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command on its way through the engine, with the one who waits for the reply. */
final class Ticket {
  private static final System.Logger LOG = System.getLogger(Ticket.class.getName());

  final Command command;

  /** The caller's {@code traceparent}, or null. */
  final @Nullable String trace;

  /** Under which key it was given, or null. */
  final @Nullable KeyUse use;

  private final @Nullable CompletableFuture<Reply> waiting;
  private @Nullable Reply reply;
  int tries;

  /** The machine of the service that gives it, or null; see {@link ShippedMachines}. */
  @Nullable String service;

  /** How often the engine could not even write down that it failed. */
  int faults;

  /** Whether it is worked out while nobody else can write its instance. */
  boolean inTurn;

  /** Whether it had a turn before, and is still not written. */
  boolean lostInTurn;

  /** How many commands had come with it; the engine's own come after all others. */
  long arrival = Long.MAX_VALUE;

  /** A command that somebody waits for. */
  Ticket(
      Command command,
      @Nullable KeyUse use,
      @Nullable String trace,
      CompletableFuture<Reply> waiting) {
    this.command = command;
    this.use = use;
    this.trace = trace;
    this.waiting = waiting;
  }

  /** A command of the engine's own. */
  Ticket(Command command) {
    this.command = command;
    this.use = null;
    this.trace = null;
    this.waiting = null;
  }

  /** Why an entry of the kind is written for it. */
  Origin origin(String kind) {
    return new Origin(kind, null, use, trace);
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
    Reply decided = reply;
    if (waiting != null && decided != null) {
      tell(() -> waiting.complete(decided));
    }
  }

  void fail(RuntimeException failure) {
    if (waiting != null) {
      tell(() -> waiting.completeExceptionally(failure));
    }
  }

  /** Whatever the one who waits does with the answer, the others get theirs. */
  private void tell(Runnable answer) {
    try {
      answer.run();
    } catch (Throwable e) {
      LOG.log(
          System.Logger.Level.ERROR,
          "Expected what depends on a reply to be short and to return, but it failed.",
          e);
    }
  }
}
