package dev.signalbox.runtime;

import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Snapshot;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is asked of an instance. One command is one transaction. */
public sealed interface Command {

  /**
   * The caller's {@code traceparent} where the command itself has one; where it has none, {@link
   * CallerTrace} tells.
   */
  default @Nullable String trace() {
    return null;
  }

  /** The idempotency key, or null. */
  default @Nullable String key() {
    return null;
  }

  /**
   * Start an instance.
   *
   * @param machine a name, or a name, an at sign and a version; without version the newest
   * @param id the instance's id; null lets the engine choose, from the key when there is one
   * @param key the idempotency key, or null
   * @param trace the caller's {@code traceparent}, which the entry keeps; or null
   */
  record Start(
      String machine,
      @Nullable String id,
      Map<String, ? extends @Nullable Object> input,
      Actor actor,
      @Nullable String key,
      @Nullable String trace)
      implements Command {

    public Start(
        String machine,
        @Nullable String id,
        Map<String, ? extends @Nullable Object> input,
        Actor actor,
        @Nullable String key) {
      this(machine, id, input, actor, key, null);
    }

    public Start traced(@Nullable String traceparent) {
      return new Start(machine, id, input, actor, key, traceparent);
    }
  }

  /**
   * Send an event to an instance.
   *
   * @param data JSON values: null, Boolean, numbers, String, List and Map
   * @param key the idempotency key: the same key gives the same answer; or null
   * @param expectedSequence refuse unless the instance's newest entry is this one; or null
   * @param trace the caller's {@code traceparent}, which the entry keeps; or null
   */
  record Send(
      String instance,
      String event,
      @Nullable Object data,
      Actor actor,
      @Nullable String key,
      @Nullable Long expectedSequence,
      @Nullable String trace)
      implements Command {

    public Send(
        String instance,
        String event,
        @Nullable Object data,
        Actor actor,
        @Nullable String key,
        @Nullable Long expectedSequence) {
      this(instance, event, data, actor, key, expectedSequence, null);
    }

    public static Send of(String instance, String event, @Nullable Object data) {
      return new Send(instance, event, data, Actor.SYSTEM, null, null);
    }

    public Send by(Actor sender) {
      return new Send(instance, event, data, sender, key, expectedSequence, trace);
    }

    public Send key(String given) {
      return new Send(instance, event, data, actor, given, expectedSequence, trace);
    }

    public Send traced(@Nullable String traceparent) {
      return new Send(instance, event, data, actor, key, expectedSequence, traceparent);
    }

    public Send expecting(long sequence) {
      return new Send(instance, event, data, actor, key, sequence, trace);
    }
  }

  /**
   * End an instance from outside, with everything it invoked.
   *
   * @param reason is written down; or null
   */
  record Cancel(String instance, Actor actor, @Nullable String key, @Nullable String reason)
      implements Command {

    public Cancel(String instance, Actor actor, @Nullable String key) {
      this(instance, actor, key, null);
    }
  }

  /**
   * Let an instance stand still.
   *
   * @param clocks what its timers do meanwhile
   */
  record Pause(String instance, Clocks clocks, Actor actor, @Nullable String key)
      implements Command {}

  /** Let a paused or halted instance go on. */
  record Resume(String instance, Actor actor, @Nullable String key) implements Command {}

  /**
   * Bring an instance back to what its journal says, after its row or its snapshot was changed from
   * outside. Only an actor with the role {@code sweep} may.
   *
   * @param reason what was found; it is written down
   */
  record Correct(String instance, String reason, Actor actor, @Nullable String key)
      implements Command {}

  /**
   * Tell an instance that nobody will ever report on an effect it waits for, because the store has
   * it no more: it ends {@code unknown}. Only an actor with the role {@code sweep} may.
   *
   * @param reply the name that the effect's results begin with
   * @param reason what was found; it is written down
   */
  record GiveUp(String instance, String reply, String reason, Actor actor, @Nullable String key)
      implements Command {}

  /** What the timers of a paused instance do. */
  enum Clocks {
    /** They stand still: what was left of them is left after the pause. */
    STOPPED,
    /** They run on: what fell due meanwhile fires at once after the pause. */
    RUNNING
  }

  /**
   * Begin a new instance where another was after one of its entries.
   *
   * @param sequence of that entry
   * @param id the new instance's id; null lets the engine choose, from the key when there is one
   * @param key the idempotency key, or null
   */
  record Fork(
      String instance, long sequence, @Nullable String id, Actor actor, @Nullable String key)
      implements Command {}

  /**
   * Take an instance to another version of its machine.
   *
   * @param states for states whose name does not stay, their new one
   */
  record Migrate(
      String instance, int toVersion, Map<String, String> states, Actor actor, @Nullable String key)
      implements Command {

    public Migrate {
      states = Map.copyOf(states);
    }
  }

  /**
   * Destroy the key of an instance that has ended, so that its personal data can't be read any
   * more. {@link Signalbox#erase} does it to everything below the instance too.
   */
  record Erase(String instance, Actor actor, @Nullable String key) implements Command {}

  /**
   * It is known where a fork begins.
   *
   * @param machine the journal's number of the machine the other had
   * @param left the moment from which to count what was left of the timers
   * @param hash of the entry
   * @param sealed whether the other is, so that the fork must be
   */
  record Branch(Fork fork, long machine, Snapshot snapshot, long left, String hash, boolean sealed)
      implements Command {
    @Override
    public @Nullable String key() {
      return fork.key();
    }
  }

  /**
   * It is known what an instance's journal says.
   *
   * @param head the hash of the newest entry that was lived through
   * @param machine the journal's number of the machine it has
   */
  record Restore(
      Correct correct,
      long number,
      byte[] head,
      long machine,
      Snapshot snapshot,
      boolean paused,
      long since)
      implements Command {
    @Override
    public @Nullable String key() {
      return correct.key();
    }
  }

  /** A timer of the instance is due. */
  record Fire(long instance) implements Command {}

  /** A message has an instance to reach. */
  record Deliver(MessageRow message) implements Command {}

  /** An effect has come to an end. */
  record Conclude(EffectRow effect, Outcome outcome) implements Command {}
}
