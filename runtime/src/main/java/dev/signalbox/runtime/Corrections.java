package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Chart;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What puts an instance right that no event of its machine can. The entry of a restoration says who
 * found what; in a replay it changes nothing, because a replay has what the entries say anyway.
 */
final class Corrections {
  /** The role of those who may. */
  static final String ROLE = "sweep";

  private final Journal journal;
  private final Machines machines;

  Corrections(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /**
   * Finds out what the journal says. This reads a whole history, so whoever asks does it, not the
   * engine.
   *
   * @throws RejectedException when there is no such instance, the actor may not, or the journal
   *     itself was changed
   */
  Command.Restore prepared(Command.Correct correct) {
    Rejection refusal = refusal(correct.actor());
    if (refusal != null) {
      throw new RejectedException(refusal);
    }
    InstanceRow row = journal.load(correct.instance());
    if (row == null) {
      throw new RejectedException(
          Admission.rejection(
              Rejection.Code.UNKNOWN_INSTANCE,
              "Expected an instance, but there is no '%s'.".formatted(correct.instance())));
    }
    Past past;
    try {
      past = Past.of(journal, machines, correct.instance(), row.sequence());
    } catch (IllegalStateException e) {
      throw new RejectedException(
          Admission.rejection(Rejection.Code.STRANDED, String.valueOf(e.getMessage())));
    }
    return new Command.Restore(
        correct,
        row.number(),
        row.head(),
        past.machine().number(),
        past.snapshot(),
        past.row().status() == InstanceRow.Status.PAUSED,
        past.row().since());
  }

  /** Lives through the journal of an instance and compares. */
  @Nullable RowFault fault(InstanceRow row) {
    Past past;
    try {
      past = Past.of(journal, machines, row.id(), row.sequence());
    } catch (IllegalStateException | RejectedException e) {
      return new RowFault(String.valueOf(e.getMessage()), false);
    }
    PublishedChart machine = past.machine();
    Snapshot snapshot = past.snapshot();
    if (row.machine() != machine.number()) {
      return new RowFault("its row names another machine than its journal", true);
    }
    Seal seal = machines.seals.of(row);
    String fault = snapshotFault(machine.chart, row, seal, snapshot);
    if (fault == null
        && row.configuration() != machine.configuration(snapshot.configuration(), journal)) {
      fault = "its row stands in other states than its journal";
    }
    if (fault == null) {
      fault = standingFault(row, snapshot, past.row().status() == InstanceRow.Status.PAUSED);
    }
    return fault == null ? null : new RowFault(fault, true);
  }

  /**
   * Of rows that say that their instance has ended, those whose newest entry does not say it. All
   * of one page are asked for at once, so what is over costs no more than one small read.
   */
  List<InstanceRow> unconfirmed(List<InstanceRow> rows) {
    List<Long> ended =
        rows.stream()
            .filter(row -> row.status() == InstanceRow.Status.ENDED)
            .map(InstanceRow::number)
            .toList();
    if (ended.isEmpty()) {
      return List.of();
    }
    Set<Long> confirmed = new HashSet<>();
    for (EntryRow newest : journal.newest(ended)) {
      if (isEnd(newest)) {
        confirmed.add(newest.instance());
      }
    }
    return rows.stream()
        .filter(row -> row.status() == InstanceRow.Status.ENDED)
        .filter(row -> !confirmed.contains(row.number()) && journal.load(row.number()) != null)
        .toList();
  }

  /** Nothing but an erasure or a correction comes after an end, and both are read in the clear. */
  private static boolean isEnd(EntryRow entry) {
    try {
      Map<?, ?> body = ClearPart.read(entry.body());
      return Boolean.TRUE.equals(body.get("ended")) || "erase".equals(body.get("kind"));
    } catch (IllegalStateException | ClassCastException | NullPointerException e) {
      return false;
    }
  }

  /** Why the row's snapshot is not the one that its journal gives, or null. */
  static @Nullable String snapshotFault(
      Chart chart, InstanceRow row, @Nullable Seal seal, Snapshot snapshot) {
    Snapshot stored;
    try {
      stored = Seals.snapshot(chart, row, seal);
    } catch (IllegalArgumentException | IllegalStateException e) {
      return "its snapshot is none of its machine: " + e.getMessage();
    }
    return value(stored).equals(value(snapshot))
        ? null
        : "its snapshot is not what its journal gives";
  }

  /** Why the row's status or its next timer is not what its journal gives, or null. */
  static @Nullable String standingFault(InstanceRow row, Snapshot snapshot, boolean paused) {
    InstanceRow.Status status = status(row, snapshot, paused);
    if (row.status() != status) {
      return "its row is %s and its journal %s".formatted(word(row.status()), word(status));
    }
    long due = status == InstanceRow.Status.LIVE ? Ledger.due(snapshot) : InstanceRow.NEVER;
    return row.due() == due ? null : "its row does not know when its next timer falls due";
  }

  /** The status that the row should have; that it was halted only the row knows. */
  private static InstanceRow.Status status(InstanceRow row, Snapshot snapshot, boolean paused) {
    if (snapshot.done()) {
      return InstanceRow.Status.ENDED;
    }
    if (row.status() == InstanceRow.Status.HALTED) {
      return InstanceRow.Status.HALTED;
    }
    return paused ? InstanceRow.Status.PAUSED : InstanceRow.Status.LIVE;
  }

  static String word(InstanceRow.Status status) {
    return status.name().toLowerCase(Locale.ROOT);
  }

  /** Snapshots with the same values are the same, in whatever order maps have them. */
  private static Object value(Snapshot snapshot) {
    try {
      String text = new String(SnapshotCodec.bytes(snapshot), StandardCharsets.UTF_8);
      return Objects.requireNonNull(Json.parse(text));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("It was written just now.", e);
    }
  }

  /** Why the effect can't be given up, or null. Only what the machine asks for has an outcome. */
  static @Nullable Rejection refusal(Command.GiveUp giveUp, Working working) {
    Rejection refusal = refusal(giveUp.actor());
    if (refusal != null || working.machine.chart.environment().replies().contains(giveUp.reply())) {
      return refusal;
    }
    return Admission.rejection(
        Rejection.Code.NO_TRANSITION,
        "Expected to give up an effect of '%s', but its machine asks for none with the reply '%s'."
            .formatted(working.row.id(), giveUp.reply()));
  }

  /** Why the actor may not correct anything, or null. */
  static @Nullable Rejection refusal(Actor actor) {
    return actor.roles().contains(ROLE)
        ? null
        : Admission.rejection(
            Rejection.Code.ROLE_REQUIRED,
            "Expected a correction from someone with the role %s, but '%s' has %s."
                .formatted(
                    ROLE,
                    actor.name(),
                    actor.roles().isEmpty() ? "none" : String.join(", ", actor.roles())));
  }

  static Event event(Command.Correct correct) {
    return new Event(
        "(correct)",
        Event.Kind.PLATFORM,
        Map.of("reason", correct.reason()),
        correct.actor(),
        null,
        null,
        null,
        null);
  }

  static Event lost(Command.GiveUp giveUp) {
    return new Event(
        giveUp.reply() + ".unknown",
        Event.Kind.EXTERNAL,
        Map.of("why", giveUp.reason()),
        giveUp.actor(),
        null,
        null,
        null,
        null);
  }
}
