package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Executable content: what happens inside a step. No action reaches the outside world. */
public sealed interface Action {

  /**
   * Gives a context field, or a part of one, a value.
   *
   * @param location a path such as {@code a} or {@code a.b}
   */
  record Assign(String location, Operand value) implements Action {}

  /** Puts an event on the internal queue of the same step. */
  record Raise(Operand event, Payload data) implements Action {}

  /**
   * Sends an event: to the instance itself, its parent, a child or another instance.
   *
   * @param target null means the instance itself
   * @param type the transport; null means between instances
   * @param id the id to cancel it by, or null
   * @param idLocation a context field that receives a generated id, or null
   * @param delay a literal {@link java.time.Duration}, an expression for a duration text or whole
   *     milliseconds, or null
   */
  record Send(
      @Nullable Operand event,
      @Nullable Operand target,
      @Nullable Operand type,
      @Nullable String id,
      @Nullable String idLocation,
      @Nullable Operand delay,
      Payload data)
      implements Action {}

  /** Takes back a delayed send that has not gone out. */
  record Cancel(Operand sendId) implements Action {}

  /** A line for the step's record. */
  record Log(@Nullable String label, @Nullable Operand value) implements Action {}

  /** The first branch whose condition holds, or {@code otherwise}. */
  record If(List<Branch> branches, List<Action> otherwise) implements Action {
    public If {
      branches = List.copyOf(branches);
      otherwise = List.copyOf(otherwise);
    }
  }

  /** One branch of an {@link If}. */
  record Branch(Operand.Expr condition, List<Action> actions) {
    public Branch {
      actions = List.copyOf(actions);
    }
  }

  /** Runs the body once for each item of a copy of the list. */
  record Foreach(Operand.Expr list, String item, @Nullable String index, List<Action> body)
      implements Action {
    public Foreach {
      body = List.copyOf(body);
    }
  }

  /** Adds a record of the given kind to what the step emits. */
  record Emit(String kind, Payload data) implements Action {}

  /**
   * Asks the outside world for work, started only after the step is committed. Its end comes back
   * as the event {@code reply.succeeded}, {@code reply.failed} or {@code reply.unknown}.
   *
   * @param effect the name of the handler
   * @param reply the first part of the events' names
   * @param idempotent whether it may be repeated, with its key, when it was cut off
   * @param during the state with which it ends: once that is left it is not begun any more, a
   *     handler at work is interrupted, and its result does not count; null where it is done in any
   *     case
   * @param retry how often it is tried; null where the runtime's settings say
   */
  record Perform(
      String effect,
      String reply,
      boolean idempotent,
      @Nullable String during,
      @Nullable Retry retry,
      Payload input)
      implements Action {

    /** Work that is tried as often as the runtime's settings say. */
    public Perform(
        String effect, String reply, boolean idempotent, @Nullable String during, Payload input) {
      this(effect, reply, idempotent, during, null, input);
    }

    /** Work that is done in any case. */
    public Perform(String effect, String reply, boolean idempotent, Payload input) {
      this(effect, reply, idempotent, null, input);
    }
  }
}
