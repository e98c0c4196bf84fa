package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Retry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What is done with an effect: taken under a lease, given to its handler, ended or put off. */
final class EffectWork {
  private static final int MOST_UNSTARTED = 10_000;

  private final Journal journal;
  private final Seals seals;
  private final Settings settings;
  private final String owner;
  private final Retries retries;
  private final Map<String, EffectHandler> handlers = new ConcurrentHashMap<>();

  /** Effects that were taken and not begun, and under which fence; until they are put off. */
  private final Map<Long, Long> unstarted = new ConcurrentHashMap<>();

  EffectWork(Journal journal, Seals seals, Settings settings, String owner) {
    this.journal = journal;
    this.seals = seals;
    this.settings = settings;
    this.owner = owner;
    this.retries = new Retries(journal, seals, settings);
  }

  void handle(String effect, EffectHandler handler) {
    handlers.put(effect, handler);
  }

  List<EffectRow> claim(int most) {
    return handlers.isEmpty()
        ? List.of()
        : journal.claim(owner, handlers.keySet(), settings.lease().toMillis(), most).stream()
            .map(this::known)
            .toList();
  }

  /** An effect that this node took and never began was not cut off, whatever the store thinks. */
  private EffectRow known(EffectRow taken) {
    Long fence = unstarted.remove(taken.number());
    return taken.cutOff() && fence != null && fence == taken.fence() - 1 ? whole(taken) : taken;
  }

  /** The same effect, which nobody cut off. */
  static EffectRow whole(EffectRow e) {
    return new EffectRow(
        e.number(),
        e.instance(),
        e.key(),
        e.name(),
        e.reply(),
        e.idempotent(),
        e.during(),
        e.input(),
        e.due(),
        e.attempt(),
        e.fence(),
        e.owner(),
        false);
  }

  /** The effect was taken, and its handler was never called. */
  void neverBegan(EffectRow effect) {
    if (unstarted.size() < MOST_UNSTARTED) {
      unstarted.put(effect.number(), effect.fence());
    }
  }

  /** Does the effect; what it answers ends it, and null means that it was put off. */
  Command.@Nullable Conclude attempt(EffectRow effect) {
    return conclude(effect, outcome(effect, () -> false));
  }

  /** What becomes of the effect; null means that it was put off. */
  Command.@Nullable Conclude conclude(EffectRow effect, Outcome outcome) {
    if (outcome instanceof Outcome.RetryAfter(Duration delay, String _)) {
      long due = journal.now() + Math.max(0, delay.toMillis());
      // When the fence has moved on, whoever has the effect now decides.
      boolean _ = journal.postpone(effect.number(), effect.fence(), due, true);
      unstarted.remove(effect.number());
      return null;
    }
    retries.forget(effect);
    return new Command.Conclude(effect, outcome);
  }

  /**
   * Lets the handler do the effect.
   *
   * @param interrupted whether it was told to stop
   */
  Outcome outcome(EffectRow effect, BooleanSupplier interrupted) {
    if (effect.cutOff() && !effect.idempotent()) {
      return new Outcome.Unknown("its handler ended without a word, and it must not be repeated");
    }
    if (effect.cutOff()) {
      Outcome over = cutOff(effect);
      if (over != null) {
        return over;
      }
    }
    EffectHandler handler = handlers.get(effect.name());
    if (handler == null) {
      return new Outcome.RetryAfter(Duration.ofSeconds(1), "its handler is gone");
    }
    EffectHandler.Call call;
    try {
      InstanceRow instance = journal.load(effect.instance());
      if (instance == null) {
        // It has ended with its state and is archived; whatever it was to do, nobody wants it.
        return new Outcome.RetryAfter(settings.firstDelay(), "its instance is gone");
      }
      call = call(effect, instance);
    } catch (JournalException e) {
      neverBegan(effect);
      return new Outcome.RetryAfter(settings.firstDelay(), why(e));
    } catch (RuntimeException | Error e) {
      neverBegan(effect);
      return notStarted(effect, e, false);
    }
    try {
      return normal(effect, handler.handle(call));
    } catch (NotStartedException e) {
      return notStarted(effect, e, interrupted.getAsBoolean());
    } catch (Throwable e) {
      // An Error is an attempt too: what can't be counted would be repeated for ever.
      return failed(effect, e, interrupted.getAsBoolean());
    }
  }

  private EffectHandler.Call call(EffectRow effect, InstanceRow instance) {
    return new EffectHandler.Call(
        instance.id(), effect.key(), effect.name(), input(effect), effect.attempt());
  }

  /** Nothing was begun, so it may be tried again whatever it is. */
  private Outcome notStarted(EffectRow effect, Throwable e, boolean interrupted) {
    if (interrupted) {
      return new Outcome.RetryAfter(settings.firstDelay(), why(e));
    }
    try {
      return again(effect, Retry.Failure.NOT_STARTED, why(e));
    } catch (JournalException failed) {
      neverBegan(effect);
      return new Outcome.RetryAfter(settings.firstDelay(), why(failed));
    }
  }

  /** What becomes of an effect that may be repeated and was cut off; null when it is. */
  private @Nullable Outcome cutOff(EffectRow effect) {
    String why = "its handler ended without a word";
    try {
      Retry retry = retries.of(effect);
      if (!retry.on().contains(Retry.Failure.CUT_OFF)) {
        return new Outcome.Unknown(why);
      }
      return effect.attempt() > retry.attempts() ? exhausted(effect.attempt() - 1, why) : null;
    } catch (JournalException e) {
      return new Outcome.RetryAfter(settings.firstDelay(), why(e));
    }
  }

  /** Another attempt, where the effect's declaration has one left for such a failure. */
  private Outcome again(EffectRow effect, Retry.Failure failure, String why) {
    Retry retry = retries.of(effect);
    if (failure != Retry.Failure.NOT_STARTED && !retry.on().contains(failure)) {
      return new Outcome.Unknown(why);
    }
    return effect.attempt() < retry.attempts() && retry.on().contains(failure)
        ? new Outcome.RetryAfter(retry.delay(effect.attempt()), why)
        : exhausted(effect.attempt(), why);
  }

  private static Outcome exhausted(int attempts, String why) {
    return new Outcome.Failed(Map.of("why", why, "attempts", (long) attempts));
  }

  private static String why(Throwable e) {
    String message = e.getMessage();
    return e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
  }

  private Outcome failed(EffectRow effect, Throwable e, boolean interrupted) {
    String why = why(e);
    if (!effect.idempotent()) {
      return new Outcome.Unknown(why);
    }
    if (interrupted) {
      // It did not fail, so this counts for nothing; if it was taken away, nothing is put off.
      return new Outcome.RetryAfter(settings.firstDelay(), why);
    }
    try {
      return again(effect, Retry.Failure.THROWN, why);
    } catch (JournalException _) {
      return new Outcome.RetryAfter(settings.firstDelay(), why);
    }
  }

  /** The outcome with its data in the form that the journal writes. */
  private static Outcome normal(EffectRow effect, Outcome outcome) {
    try {
      return switch (outcome) {
        case Outcome.Succeeded(Object data) ->
            new Outcome.Succeeded(Values.of(data, Limits.MOST_BYTES));
        case Outcome.Failed(Object data) -> new Outcome.Failed(Values.of(data, Limits.MOST_BYTES));
        case Outcome.RetryAfter _, Outcome.Unknown _ -> outcome;
      };
    } catch (Values.TooLarge e) {
      return new Outcome.Failed(
          Map.of("why", "its result was larger than %,d bytes".formatted(Limits.MOST_BYTES)));
    } catch (IllegalArgumentException e) {
      String why = "its result was no JSON: " + e.getMessage();
      // It was done; whoever is told that it failed would do it again.
      return outcome instanceof Outcome.Succeeded && !effect.idempotent()
          ? new Outcome.Unknown(why)
          : new Outcome.Failed(Map.of("why", why));
    }
  }

  private @Nullable Object input(EffectRow effect) {
    try {
      return Json.parse(new String(seals.input(effect), StandardCharsets.UTF_8));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("Expected an effect's input to be JSON.", e);
    }
  }
}
