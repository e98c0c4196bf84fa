package dev.signalbox.testkit.falsify;

import dev.signalbox.definition.Json;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.memory.MemoryJournal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import dev.signalbox.testkit.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One machine on the real runtime: admission, engine, effects, messages and timers are what ships;
 * only the clock, and what a handler answers, are up to the caller. The only place that knows how
 * the runtime is driven.
 */
final class LiveMachine {
  private static final Duration NOT_YET = Duration.ZERO;
  private static final int MOST_ROUNDS = 60;

  private static final Machine LISTENER =
      MachineReader.read(
          new Source(
              "listener.yaml",
              """
              machine: listener
              events: { "*": { roles: [boss] } }
              states: { THERE: { waits: for the boss, on: { "*": { } } } }
              """));

  private final ManualClock clock = new ManualClock();
  private final MemoryJournal journal = new MemoryJournal(clock);
  private final ManualSignalbox box;
  private final Machine machine;

  /** Instances that nobody looks at any more; their effects end somehow. */
  private final Set<String> left = new HashSet<>();

  private @Nullable String wanted;

  /** Every effect up to this number is of an instance that nobody looks at. */
  private long effectsBefore;

  private Outcome answer = Outcome.succeeded();

  LiveMachine(Machine machine) {
    this.machine = machine;
    box = new ManualSignalbox(journal, Settings.DEFAULT, clock, new Random(1));
    box.publish(machine);
    box.publish(LISTENER);
    for (Action.Perform perform : machine.effects()) {
      box.handle(perform.effect(), this::handle);
    }
  }

  private Outcome handle(EffectHandler.Call call) {
    if (call.key().equals(wanted)) {
      return answer;
    }
    return left.contains(call.instance())
        ? Outcome.succeeded()
        : new Outcome.RetryAfter(NOT_YET, "its end comes later");
  }

  /** Why the start was refused, or null. */
  @Nullable Rejection start(String id, Map<String, ? extends @Nullable Object> input, Actor actor) {
    return refusal(new Command.Start(machine.name(), id, input, actor, null));
  }

  /** Why the event was refused, or null. */
  @Nullable Rejection send(String id, String event, @Nullable Object data, Actor actor) {
    return refusal(new Command.Send(id, event, data, actor, null, null));
  }

  /** Sends events of which none waits for what the one before it has done. */
  void sendTogether(String id, List<Act.Send> sends) {
    for (Act.Send send : sends) {
      var _ = box.submit(new Command.Send(id, send.event(), send.data(), send.actor(), null, null));
    }
    settle();
  }

  private @Nullable Rejection refusal(Command command) {
    CompletableFuture<Reply> reply = box.submit(command);
    settle();
    if (!reply.isDone()) {
      throw new IllegalStateException("Expected an answer at rest to " + command + ".");
    }
    return reply.join() instanceof Reply.Rejected(Rejection why) ? why : null;
  }

  /** Lets the effect end; whether its result was of use the journal tells. */
  void conclude(EffectRow effect, Outcome outcome) {
    wanted = effect.key();
    answer = outcome;
    while (journal.effect(effect.number()) != null && box.perform()) {
      settle();
    }
    wanted = null;
  }

  /** Somebody with the id is there, and stands still: what is sent to it waits meanwhile. */
  void hold(String id) {
    if (box.find(id) == null) {
      var _ = refusal(new Command.Start(LISTENER.name(), id, Map.of(), Actor.SYSTEM, null));
      var _ = refusal(new Command.Pause(id, Command.Clocks.STOPPED, Actor.SYSTEM, null));
    }
  }

  /** Lets whoever the instance's oldest waiting message is for go on, and refuse it. */
  void bounce(String id) {
    for (MessageRow message : journal.messages(0, 1_000)) {
      if (message.from().equals(id) && message.isPatient()) {
        var _ = refusal(new Command.Resume(message.to(), Actor.SYSTEM, null));
        return;
      }
    }
  }

  /** Moves the clock; what falls due happens at the next {@link #settle}. */
  void advance(long millis) {
    clock.advance(Duration.ofMillis(millis));
  }

  long now() {
    return clock.millis();
  }

  /**
   * Does everything there is to do at this moment, but for effects.
   *
   * @throws RestlessException when that has no end
   */
  void settle() {
    boolean busy = true;
    for (int i = 0; busy; i++) {
      if (i > MOST_ROUNDS) {
        throw new RestlessException();
      }
      busy = box.step();
      busy |= box.commit();
    }
  }

  /** The machine goes on for ever without anybody and without time. */
  static final class RestlessException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RestlessException() {
      super("it does not come to rest");
    }
  }

  /** Nobody looks at the instance any more. */
  void leave(String id) {
    for (EffectRow effect : effects(id)) {
      effectsBefore = Math.max(effectsBefore, effect.number());
    }
    left.add(id);
    Instance instance = box.find(id);
    if (instance != null && !instance.status().equals("ended")) {
      var _ = box.submit(new Command.Cancel(id, Actor.SYSTEM, null));
      settle();
    }
  }

  @Nullable Instance find(String id) {
    return box.find(id);
  }

  /** The entries of the chain from a sequence number on. */
  List<Map<?, ?>> entries(String id, Chain chain, long from) {
    InstanceRow row = journal.load(id);
    List<Map<?, ?>> bodies = new ArrayList<>();
    if (row != null) {
      for (EntryRow entry : journal.history(row.number(), chain, from, 1_000)) {
        bodies.add(body(entry));
      }
    }
    return bodies;
  }

  private static Map<?, ?> body(EntryRow entry) {
    try {
      return (Map<?, ?>) Json.parse(new String(entry.body(), StandardCharsets.UTF_8));
    } catch (Json.SyntaxException | ClassCastException e) {
      throw new IllegalStateException("Expected an entry's body to be JSON.", e);
    }
  }

  /** The instance's effects that have not ended, in the order in which they were asked for. */
  List<EffectRow> effects(String id) {
    InstanceRow row = journal.load(id);
    if (row == null || machine.effects().isEmpty()) {
      return List.of();
    }
    return journal.effects(effectsBefore, 1_000).stream()
        .filter(effect -> effect.instance() == row.number())
        .toList();
  }
}
