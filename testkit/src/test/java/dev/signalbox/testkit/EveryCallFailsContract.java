package dev.signalbox.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.JournalException;
import dev.signalbox.journal.Query;
import dev.signalbox.journal.Turn;
import dev.signalbox.kernel.Actor;
import dev.signalbox.runtime.Audit;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.ManualSignalbox;
import dev.signalbox.runtime.Outcome;
import dev.signalbox.runtime.Reply;
import dev.signalbox.runtime.Settings;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whichever call of the store fails, with an exception or an error, before its work or after it:
 * each command is done as a whole and once, and the story ends as if nothing had failed.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class EveryCallFailsContract {
  private static final List<String> MACHINES =
      List.of(
          """
          machine: order
          events: { approve: { roles: [approver] } }
          context: { n: { type: int, default: 0 } }
          states:
            OPEN:
              on:
                work: { to: WORKING }
                hit: { assign: { n: ctx.n + 1 } }
                ask: { do: [ { send: { event: approve, to: { instance: "'b'" } } } ] }
                approve: OPEN
                error.communication: { assign: { n: ctx.n + 100 } }
            WORKING:
              invoke: [ { id: part, machine: part, with: { of: '"x"' } } ]
              entry: [ { perform: { effect: phone } } ]
              waits: for its part
              on:
                phone.succeeded: { assign: { n: ctx.n + 10 } }
                phone.failed: FAILED
                phone.unknown: FAILED
                done.invoke.part: RESTING
            RESTING: { after: { 1m: DONE } }
            DONE: { final: true }
            FAILED: { final: true }
          """,
          """
          machine: part
          context: { of: { type: string, default: '""' } }
          states:
            MADE: { after: { 10s: READY } }
            READY: { final: true }
          """);

  /** What is taken and not heard of is free again before anything else goes on. */
  private static final Settings SETTINGS =
      new Settings(
          100, 100, 1_024, 1L << 20, 100, 3, Duration.ofSeconds(2), 4, Duration.ofMillis(100), 16);

  private enum Kind {
    FAILS,
    ANSWER_LOST,
    ERROR,
    ERROR_AFTER
  }

  /** A new, empty store. */
  abstract Journal open(ManualClock clock) throws Exception;

  /** One of the calls fails, once. */
  private static final class Once {
    private final Journal to;
    private final int which;
    private final Kind kind;
    int calls;
    @Nullable String failed;

    Once(Journal to, int which, Kind kind) {
      this.to = to;
      this.which = which;
      this.kind = kind;
    }

    Journal journal() {
      return (Journal)
          Proxy.newProxyInstance(
              Journal.class.getClassLoader(),
              new Class<?>[] {Journal.class},
              (_, method, arguments) -> invoke(method, arguments));
    }

    private @Nullable Object invoke(Method method, Object @Nullable [] arguments) throws Throwable {
      if (++calls != which) {
        return made(method, arguments);
      }
      failed = method.getName();
      if (kind == Kind.ANSWER_LOST || kind == Kind.ERROR_AFTER) {
        if (made(method, arguments) instanceof Turn turn) {
          turn.close();
        }
      }
      throw switch (kind) {
        case FAILS -> new JournalException("Expected to reach the store, but can't.", null);
        case ANSWER_LOST ->
            new JournalException("Expected an answer, but the connection broke.", null, true);
        case ERROR, ERROR_AFTER -> new OutOfMemoryError("simulated");
      };
    }

    private @Nullable Object made(Method method, Object @Nullable [] arguments) throws Throwable {
      try {
        return method.invoke(to, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }
  }

  private final ManualClock clock = new ManualClock();

  /** Gives the command again, under its key, until it is answered. */
  private void done(ManualSignalbox box, Command command) {
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Reply> reply = box.submit(command);
      rest(box);
      if (reply.isDone() && !reply.isCompletedExceptionally()) {
        assertThat(reply.join()).as(command.toString()).isInstanceOf(Reply.Accepted.class);
        return;
      }
    }
    throw new AssertionError("Expected an answer, but none came: " + command);
  }

  private void rest(ManualSignalbox box) {
    for (int i = 0; i < 10; i++) {
      try {
        box.poll();
        box.rest();
      } catch (JournalException | OutOfMemoryError e) {
        // Its threads would go on too.
      }
      clock.advance(Duration.ofMillis(300));
    }
  }

  private void later(ManualSignalbox box, Duration time) {
    clock.advance(time);
    rest(box);
  }

  private static String entries(Journal store, InstanceRow row, Chain chain) {
    List<String> lines = new ArrayList<>();
    for (EntryRow entry : store.history(row.number(), chain, 1, 100)) {
      Map<?, ?> body = Objects.requireNonNull(body(entry));
      Object event = body.get("event");
      if ("late-result".equals(body.get("code"))) {
        // A report whose answer was lost is given again, and finds that it was written.
        continue;
      }
      lines.add(body.get("kind") + ":" + (event instanceof Map<?, ?> e ? e.get("name") : null));
    }
    return lines.toString();
  }

  private static @Nullable Map<?, ?> body(EntryRow entry) {
    try {
      return (Map<?, ?>)
          dev.signalbox.definition.Json.parse(new String(entry.body(), StandardCharsets.UTF_8));
    } catch (dev.signalbox.definition.Json.SyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Lives through everything, and gives what came of it. */
  private Map<String, String> story(Once once, Journal store) {
    ManualSignalbox box = null;
    for (int i = 0; box == null; i++) {
      try {
        box = new ManualSignalbox(once.journal(), SETTINGS, clock, new Random(1));
      } catch (JournalException | OutOfMemoryError e) {
        assertThat(i).as("only once does it fail").isZero();
      }
    }
    ManualSignalbox node = box;
    node.onFault(_ -> {});
    for (String machine : MACHINES) {
      for (int i = 0; i < 2; i++) {
        try {
          node.publish(MachineReader.read(new Source("m.yaml", machine)));
        } catch (JournalException | OutOfMemoryError e) {
          assertThat(i).isZero();
        }
      }
    }
    node.handle("phone", _ -> Outcome.succeeded());
    for (String id : List.of("a", "b", "c")) {
      done(node, new Command.Start("order", id, Map.of(), Actor.SYSTEM, "start-" + id));
    }
    done(node, send("a", "hit"));
    done(node, send("a", "ask"));
    done(node, new Command.Pause("a", Command.Clocks.STOPPED, Actor.SYSTEM, "pause"));
    later(node, Duration.ofSeconds(3));
    done(node, new Command.Resume("a", Actor.SYSTEM, "resume"));
    done(node, send("a", "work"));
    later(node, Duration.ofSeconds(15));
    later(node, Duration.ofMinutes(2));
    done(node, new Command.Cancel("b", Actor.SYSTEM, "enough", "cancel"));
    done(node, send("c", "work"));
    done(node, new Command.Cancel("c", Actor.SYSTEM, "enough", "cancel"));
    later(node, Duration.ofMinutes(2));
    later(node, Duration.ofMinutes(2));

    Map<String, String> outcome = new TreeMap<>();
    for (InstanceRow row : store.query(Query.ALL.page(0, 100))) {
      var instance = node.view(row);
      outcome.put(
          row.id(),
          "%s %s %s %s %s"
              .formatted(
                  row.status(),
                  instance.leaves(),
                  instance.context().get("n"),
                  entries(store, row, Chain.STEPS),
                  entries(store, row, Chain.REFUSALS)));
    }
    outcome.put("messages", store.messages(0, 10).toString());
    outcome.put("effects", store.effects(0, 10).toString());
    outcome.put("findings", Audit.verify(store, _ -> {}).findings().toString());
    return outcome;
  }

  private static Command send(String id, String event) {
    return new Command.Send(id, event, null, Actor.SYSTEM, event + "-" + id, null, null);
  }

  @Test
  void everything_happens_whole_and_once() throws Exception {
    Map<String, String> usual;
    int calls;
    try (Journal store = open(clock)) {
      Once never = new Once(store, -1, Kind.FAILS);
      usual = story(never, store);
      calls = never.calls;
    }
    assertThat(usual.get("a")).startsWith("ENDED [DONE] 111 ");
    assertThat(usual).containsEntry("findings", "[]").containsEntry("messages", "[]");
    List<String> faults = new ArrayList<>();
    for (int which = 1; which <= calls; which += every()) {
      for (Kind kind : Kind.values()) {
        try (Journal store = open(clock)) {
          Once once = new Once(store, which, kind);
          Map<String, String> outcome;
          try {
            outcome = story(once, store);
          } catch (AssertionError | RuntimeException e) {
            outcome = Map.of("a", String.valueOf(e));
          }
          if (!outcome.equals(usual)) {
            faults.add("call %d, %s, %s: %s".formatted(which, once.failed, kind, outcome));
          }
        }
      }
    }
    assertThat(faults).as("usually " + usual + ", " + calls + " calls").isEmpty();
  }

  /** Of so many calls one is tried. */
  int every() {
    return 1;
  }
}
