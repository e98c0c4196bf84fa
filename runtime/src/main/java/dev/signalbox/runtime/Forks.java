package dev.signalbox.runtime;

import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.TimerChange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Begins new instances where others once were. The first entry of such an instance has its whole
 * snapshot, so that it can be replayed without the other, which may be archived by then. The
 * snapshot is in there as a text, because the entry's canonical JSON does not tell 1.0 from 1.
 *
 * <p>The new instance has no parent, no children and no pending effects, and of the pending sends
 * only those to itself: whatever the other set going outside goes on once, for the other.
 */
final class Forks {
  /** What a fork is found by: the instance it began from. No field has such a name. */
  static final String OF = "fork of";

  private static final String EVENT = "(fork)";
  private static final String ADDRESS = "#_scxml_";

  private final Journal journal;
  private final Machines machines;

  Forks(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /**
   * Finds out where the new instance begins. This reads a whole history, so whoever asks does it,
   * not the engine; entries never change, so it can be done beforehand.
   *
   * @throws RejectedException when there is no such instance or entry, or it was the end
   */
  Command.Branch prepared(Command.Fork fork) {
    Past past = Past.of(journal, machines, fork.instance(), fork.sequence());
    if (past.snapshot().done()) {
      throw new RejectedException(
          Admission.rejection(
              Rejection.Code.INSTANCE_FINAL,
              "Expected to go on from entry %d of '%s', but it ended there; choose an earlier one."
                  .formatted(fork.sequence(), fork.instance())));
    }
    return new Command.Branch(
        fork,
        past.machine().number(),
        past.snapshot(),
        past.left(),
        HexFormat.of().formatHex(past.row().head()),
        past.sealed());
  }

  /** The first step of the new instance. */
  static Step step(Command.Branch branch, String id, long now) {
    Snapshot first = moved(branch.snapshot(), id, now - branch.left());
    String text = new String(SnapshotCodec.bytes(first), StandardCharsets.UTF_8);
    Map<String, Object> data =
        Map.of(
            "hash", branch.hash(),
            "instance", branch.fork().instance(),
            "sequence", branch.fork().sequence(),
            "snapshot", text);
    return step(first, Event.platform(EVENT, data));
  }

  /** The first step once more, from what its entry says. */
  static Step again(Chart chart, Event event) {
    Map<?, ?> data = (Map<?, ?>) Objects.requireNonNull(event.data());
    String text = (String) Objects.requireNonNull(data.get("snapshot"));
    return step(SnapshotCodec.read(chart, text.getBytes(StandardCharsets.UTF_8)), event);
  }

  private static Step step(Snapshot first, Event event) {
    List<TimerChange> timers = new ArrayList<>();
    first.memory().timers().forEach(timer -> timers.add(new TimerChange.Scheduled(timer)));
    return new Step(
        event, first, List.of(), List.of(), List.of(), List.of(), List.of(), timers, List.of(),
        List.of(), List.of());
  }

  private static Snapshot moved(Snapshot from, String id, long later) {
    Snapshot.Memory memory = from.memory();
    List<Timer> own =
        memory.timers().stream()
            .filter(timer -> timer.message().to().equals(from.instance()))
            .map(timer -> renamed(timer, from.instance(), id))
            .toList();
    return new Snapshot(
            id,
            null,
            from.configuration(),
            from.context(),
            false,
            new Snapshot.Memory(
                memory.history(),
                own,
                memory.remaining(),
                List.of(),
                memory.monitors(),
                memory.bound(),
                memory.ids(),
                null))
        .postponed(later);
  }

  private static Timer renamed(Timer timer, String from, String id) {
    Event event = timer.message().event();
    String origin = (ADDRESS + from).equals(event.origin()) ? ADDRESS + id : event.origin();
    return new Timer(
        timer.id(),
        timer.sendId(),
        timer.state(),
        timer.due(),
        new Step.Message(
            id,
            new Event(
                event.name(),
                event.kind(),
                event.data(),
                event.actor(),
                event.sendId(),
                origin,
                event.originType(),
                null)));
  }
}
