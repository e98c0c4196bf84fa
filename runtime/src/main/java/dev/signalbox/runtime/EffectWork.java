package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Lease;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Retry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** What is done with an effect: taken under a lease, given to its handler, ended or put off. */
final class EffectWork {
  private static final System.Logger LOG = System.getLogger(EffectWork.class.getName());
  private static final int MOST_REPEATABLE = 10_000;

  private final Journal journal;
  private final Seals seals;
  private final Settings settings;
  private final String owner;
  private final Retries retries;
  private final Map<String, EffectHandler> handlers = new ConcurrentHashMap<>();

  /**
   * Effects that could not be given back although they may be repeated, and under which fence this
   * node had them: what the store takes for cut off is not.
   */
  private final Map<Long, Long> repeatable = new ConcurrentHashMap<>();

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

  private EffectRow known(EffectRow taken) {
    Long fence = repeatable.remove(taken.number());
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

  /** What is to be done with an effect that was taken. */
  sealed interface Task {
    EffectRow effect();
  }

  /** Its handler is to be called, as soon as it is marked that it begins. */
  private record Calling(EffectRow effect, EffectHandler handler, EffectHandler.Call call)
      implements Task {}

  /** Its handler is not called. */
  private record Decided(EffectRow effect, Outcome outcome) implements Task {}

  /**
   * Sees to it that nothing but the handler itself is left to do, and marks in the store which
   * handlers begin: all of them at a time, so that one commit is the price for all. Whoever dies
   * before that leaves effects that were never begun.
   *
   * @return without those that are another's by now
   */
  List<Task> begin(List<EffectRow> taken) {
    List<Task> tasks = new ArrayList<>(taken.size());
    List<Lease> leases = new ArrayList<>(taken.size());
    try {
      for (EffectRow effect : taken) {
        Task task = task(effect);
        tasks.add(task);
        if (task instanceof Calling) {
          leases.add(lease(effect));
        }
      }
      Set<Lease> lost = leases.isEmpty() ? Set.of() : new HashSet<>(journal.begin(leases));
      tasks.removeIf(task -> lost.contains(lease(task.effect())));
      return tasks;
    } catch (RuntimeException | Error e) {
      taken.forEach(this::giveBack);
      throw e;
    }
  }

  private static Lease lease(EffectRow effect) {
    return new Lease(effect.number(), effect.fence());
  }

  /**
   * The effect was taken, and its handler is not called; it is taken again soon. One that must not
   * be repeated stays cut off, and is taken again when its lease is over.
   */
  void giveBack(EffectRow effect) {
    if (effect.cutOff() && !effect.idempotent()) {
      return;
    }
    try {
      putOff(effect, settings.firstDelay());
    } catch (JournalException e) {
      LOG.log(System.Logger.Level.WARNING, e.getMessage());
    }
  }

  /** Lets the effect be taken again later; where the store fails, this node remembers. */
  private void putOff(EffectRow effect, Duration delay) {
    if (repeatable.size() < MOST_REPEATABLE) {
      repeatable.put(effect.number(), effect.fence());
    }
    long due = journal.now() + Math.max(0, delay.toMillis());
    // When the fence has moved on, whoever has the effect now decides.
    boolean _ = journal.postpone(effect.number(), effect.fence(), due, true);
    repeatable.remove(effect.number());
  }

  /** What becomes of the effect; null means that it was put off. */
  Command.@Nullable Conclude conclude(EffectRow effect, Outcome outcome) {
    if (outcome instanceof Outcome.RetryAfter(Duration delay, String _)) {
      putOff(effect, delay);
      return null;
    }
    retries.forget(effect);
    return new Command.Conclude(effect, outcome);
  }

  private Task task(EffectRow effect) {
    if (effect.cutOff() && !effect.idempotent()) {
      String why = "its handler ended without a word, and it must not be repeated";
      return new Decided(effect, new Outcome.Unknown(why));
    }
    if (effect.cutOff()) {
      Outcome over = cutOff(effect);
      if (over != null) {
        return new Decided(effect, over);
      }
    }
    EffectHandler handler = handlers.get(effect.name());
    if (handler == null) {
      return new Decided(
          effect, new Outcome.RetryAfter(Duration.ofSeconds(1), "its handler is gone"));
    }
    try {
      InstanceRow instance = journal.load(effect.instance());
      return instance == null
          ? new Decided(effect, gone())
          : new Calling(effect, handler, call(effect, instance));
    } catch (JournalException e) {
      return new Decided(effect, new Outcome.RetryAfter(settings.firstDelay(), why(e)));
    } catch (RuntimeException | Error e) {
      return new Decided(effect, notStarted(effect, e, false));
    }
  }

  /**
   * Lets the handler do the effect, where it is to be called.
   *
   * @param interrupted whether it was told to stop
   */
  Outcome outcome(Task task, BooleanSupplier interrupted) {
    return switch (task) {
      case Decided decided -> decided.outcome();
      case Calling calling -> outcome(calling, interrupted);
    };
  }

  private Outcome outcome(Calling calling, BooleanSupplier interrupted) {
    EffectRow effect = calling.effect();
    try {
      if (journal.load(effect.instance()) == null) {
        return gone();
      }
    } catch (RuntimeException | Error e) {
      return new Outcome.RetryAfter(settings.firstDelay(), why(e));
    }
    try {
      return normal(effect, calling.handler().handle(calling.call()));
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

  /** It has ended with its state and is archived; whatever it was to do, nobody wants it. */
  private Outcome gone() {
    return new Outcome.RetryAfter(settings.firstDelay(), "its instance is gone");
  }

  /** Nothing was begun, so it may be tried again whatever it is. */
  private Outcome notStarted(EffectRow effect, Throwable e, boolean interrupted) {
    if (interrupted) {
      return new Outcome.RetryAfter(settings.firstDelay(), why(e));
    }
    try {
      return again(effect, Retry.Failure.NOT_STARTED, why(e));
    } catch (JournalException failed) {
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
