package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What is done with an effect: taken under a lease, given to its handler, ended or put off. */
final class EffectWork {
  private static final Duration LONGEST_DELAY = Duration.ofHours(1);

  private final Journal journal;
  private final Seals seals;
  private final Settings settings;
  private final String owner;
  private final Map<String, EffectHandler> handlers = new ConcurrentHashMap<>();

  EffectWork(Journal journal, Seals seals, Settings settings, String owner) {
    this.journal = journal;
    this.seals = seals;
    this.settings = settings;
    this.owner = owner;
  }

  void handle(String effect, EffectHandler handler) {
    handlers.put(effect, handler);
  }

  List<EffectRow> claim(int most) {
    return handlers.isEmpty()
        ? List.of()
        : journal.claim(owner, handlers.keySet(), settings.lease().toMillis(), most);
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
      return null;
    }
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
    EffectHandler handler = handlers.get(effect.name());
    if (handler == null) {
      return new Outcome.RetryAfter(Duration.ofSeconds(1), "its handler is gone");
    }
    InstanceRow instance = journal.load(effect.instance());
    try {
      Outcome outcome =
          handler.handle(
              new EffectHandler.Call(
                  instance == null ? "" : instance.id(),
                  effect.key(),
                  effect.name(),
                  input(effect),
                  effect.attempt()));
      return normal(outcome);
    } catch (Exception e) {
      return failed(effect, e, interrupted.getAsBoolean());
    }
  }

  private Outcome failed(EffectRow effect, Exception e, boolean interrupted) {
    String message = e.getMessage();
    String why = e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    if (!effect.idempotent()) {
      return new Outcome.Unknown(why);
    }
    if (interrupted) {
      // It did not fail, so this counts for nothing; if it was taken away, nothing is put off.
      return new Outcome.RetryAfter(settings.firstDelay(), why);
    }
    if (effect.attempt() >= settings.attempts()) {
      return new Outcome.Failed(Map.of("why", why, "attempts", (long) effect.attempt()));
    }
    return new Outcome.RetryAfter(delay(effect.attempt()), why);
  }

  private Duration delay(int attempt) {
    Duration delay = settings.firstDelay().multipliedBy(1L << Math.min(attempt - 1, 30));
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  /** The outcome with its data in the form that the journal writes. */
  private static Outcome normal(Outcome outcome) {
    try {
      return switch (outcome) {
        case Outcome.Succeeded(Object data) -> new Outcome.Succeeded(Values.of(data));
        case Outcome.Failed(Object data) -> new Outcome.Failed(Values.of(data));
        case Outcome.RetryAfter _, Outcome.Unknown _ -> outcome;
      };
    } catch (IllegalArgumentException e) {
      return new Outcome.Failed(Map.of("why", "its result was no JSON: " + e.getMessage()));
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
