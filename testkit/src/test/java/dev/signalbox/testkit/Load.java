package dev.signalbox.testkit;

import dev.signalbox.definition.Definition;
import dev.signalbox.definition.MachineReader;
import dev.signalbox.definition.Source;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/** The machines that are put under load, and the commands that do it: the same for a place. */
final class Load {
  static final int THREADS = 8;

  /** Instances that everybody sends to at about the same time. */
  private static final int TOGETHER = 16;

  /** Commands of a thread before it goes on to other instances. */
  private static final int STAY = 200;

  /** Short leases, so that what a killed process had is taken up again soon. */
  static final Settings SETTINGS =
      new Settings(
          8_192,
          1_024,
          256 * 1024,
          32L << 20,
          10_000,
          100,
          Duration.ofSeconds(2),
          10,
          Duration.ofMillis(50),
          16);

  static final List<Machine> MACHINES =
      MachineReader.readAll(
              new Source(
                  "job.yaml",
                  """
                  machine: job
                  context:
                    n: { type: int, default: 0 }
                    heard: { type: int, default: 0 }
                    unknown: { type: int, default: 0 }
                  waits: for more to do
                  on:
                    work: { assign: { n: ctx.n + 1 } }
                    ask: { do: [ { perform: { effect: note, idempotent: true } } ] }
                    note.succeeded: { assign: { heard: ctx.heard + 1 } }
                    note.failed: { assign: { heard: ctx.heard + 1 } }
                    charge: { do: [ { perform: { effect: pay, idempotent: false } } ] }
                    pay.succeeded: { assign: { heard: ctx.heard + 1 } }
                    pay.failed: { assign: { heard: ctx.heard + 1 } }
                    pay.unknown: { assign: { unknown: ctx.unknown + 1 } }
                    nap: { do: [ cancel: nap, send: { event: woken, id: nap, after: 50ms } ] }
                    sleep: { do: [ cancel: nap, send: { event: woken, id: nap, after: 400ms } ] }
                    woken: { assign: { n: ctx.n + 1 } }
                    error.communication: { }
                    done.invoke.errand: { }
                    close: CLOSED
                  states:
                    IDLE:
                      on: { tick: TICKING, delegate: DELEGATING }
                    TICKING:
                      after: { 100ms: IDLE }
                      on: { tick: TICKING }
                    DELEGATING:
                      invoke: { machine: errand, id: errand }
                      after: { 5s: IDLE }
                      on:
                        done.invoke.errand: IDLE
                        tick: TICKING
                    CLOSED: { final: true }
                  ---
                  machine: errand
                  states:
                    RUNNING:
                      entry: [ { perform: { effect: note, idempotent: true } } ]
                      after: { 150ms: DONE }
                      on: { note.succeeded: WAITING, note.failed: WAITING }
                    WAITING:
                      after: { 50ms: DONE }
                    DONE: { final: true }
                  """),
              null)
          .stream()
          .map(Definition::machine)
          .map(Objects::requireNonNull)
          .toList();

  private static final List<String> EVENTS =
      List.of("work", "work", "work", "work", "ask", "charge", "nap", "sleep", "tick", "delegate");

  private Load() {}

  /** The command that a thread of a node gives at a place in its row, today and tomorrow. */
  static Command command(long seed, String node, int thread, int place) {
    String part = "job-" + place / STAY + "-";
    int at = place % STAY;
    if (at < TOGETHER) {
      return new Command.Start("job", part + at, Map.of(), Actor.SYSTEM, "start");
    }
    Random random = new Random(Objects.hash(seed, node, thread, place));
    boolean last = at > STAY - 20 && random.nextInt(20) == 0;
    String event = last ? "close" : EVENTS.get(random.nextInt(EVENTS.size()));
    return Command.Send.of(part + random.nextInt(TOGETHER), event, null)
        .key(node + "." + thread + "." + place);
  }
}
