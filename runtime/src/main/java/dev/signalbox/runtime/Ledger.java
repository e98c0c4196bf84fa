package dev.signalbox.runtime;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.Change;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.Hashing;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.MessageRow;
import dev.signalbox.journal.NewEntry;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.CanonicalJson;
import dev.signalbox.kernel.Event;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what commands did: entries with their hashes, the instance's row, effects and
 * searchable fields; {@link Messages} has what is for others. For one thread at a time.
 */
final class Ledger {
  private static final HexFormat HEX = HexFormat.of();

  /** What may happen to an instance that is paused and stays so. */
  private static final Set<String> AFTER_PAUSE = Set.of("migrate", "correct");

  final Messages messages;
  private final Journal journal;
  private final Hashing hashing = new Hashing();
  private final EntryWriter writer = new EntryWriter();

  Ledger(Journal journal, Machines machines) {
    this.journal = journal;
    this.messages = new Messages(journal, machines);
  }

  /** The row of an instance that has no entry yet. */
  InstanceRow blank(PublishedChart machine, String id, @Nullable String parent, long number) {
    return new InstanceRow(
        number,
        id,
        machine.number(),
        parent,
        0,
        InstanceRow.Status.LIVE,
        0,
        Hashing.origin(),
        0,
        Hashing.origin(),
        0,
        0,
        InstanceRow.NEVER,
        new byte[0]);
  }

  /**
   * Writes a step down.
   *
   * @param before null where the entry begins anew with a machine and the whole context
   * @throws IllegalArgumentException when it computed what JSON has not; nothing was written then
   */
  void step(Slot slot, Origin origin, @Nullable Snapshot before, Step step, long now) {
    Working working = slot.working;
    InstanceRow row = working.row;
    long sequence = row.sequence() + 1;
    byte[] body =
        writer.step(
            new EntryWriter.Heading(
                origin.kind(),
                origin.cause(),
                row.id(),
                sequence,
                now,
                origin.key(),
                origin.digest(),
                before == null ? identity(working.machine) : null,
                origin.trace(),
                working.machine.chart.meetsEmptyKey(step.records()) ? EntryWriter.DISTINCT : null),
            before == null ? null : before.context(),
            step);
    if (working.seal != null) {
      body = working.seal.entry(body);
    }
    Snapshot after = step.after();
    List<MessageRow> mail = messages.of(working, step);
    List<EffectRow> effects = new ArrayList<>(step.effects().size());
    for (Step.Effect effect : step.effects()) {
      effects.add(effect(working, effect, now));
    }
    long configuration = working.machine.configuration(after.configuration(), journal);
    byte[] hash = hashing.chain(row.head(), body);
    byte[] encoded = SnapshotCodec.bytes(after);

    // Nothing below can fail, so the change has the whole step or nothing of it.
    Change change = slot.change;
    change.entries().add(new NewEntry(Chain.STEPS, sequence, hash, body, origin.key()));
    change.messages().addAll(mail);
    leave(slot, step);
    for (EffectRow effect : effects) {
      if (effect.during() == null || isIn(effect.during(), after)) {
        change.effects().add(effect);
      }
    }
    search(working.machine, before, after, change);
    working.snapshot = after;
    working.row =
        new InstanceRow(
            row.number(),
            row.id(),
            working.machine.number(),
            row.parent(),
            configuration,
            after.done() ? InstanceRow.Status.ENDED : row.status(),
            sequence,
            hash,
            row.refusals(),
            row.refusalHead(),
            now,
            configuration == row.configuration() ? row.since() : now,
            after.done() ? InstanceRow.NEVER : due(after),
            encoded);
    slot.dirty = true;
  }

  /** Ends the effects that belong to states that the step leaves. */
  private static void leave(Slot slot, Step step) {
    Set<String> belonging = slot.working.machine.during();
    if (belonging.isEmpty()) {
      return;
    }
    Change change = slot.change;
    Set<String> left = new HashSet<>();
    step.microsteps().forEach(microstep -> left.addAll(microstep.exited()));
    for (String state : belonging) {
      boolean gone = isIn(state, slot.working.snapshot) && !isIn(state, step.after());
      if (gone || left.contains(state)) {
        change.left().add(state);
        change.effects().removeIf(effect -> state.equals(effect.during()));
      }
    }
  }

  static boolean isIn(String state, Snapshot snapshot) {
    return !snapshot.done() && snapshot.configuration().contains(state);
  }

  /** Writes a refusal down. */
  void refusal(Slot slot, Origin origin, Event event, Rejection rejection, long now) {
    Working working = slot.working;
    InstanceRow row = working.row;
    long count = row.refusals() + 1;
    byte[] body =
        writer.refusal(
            new EntryWriter.Heading(
                "refusal",
                origin.cause(),
                row.id(),
                count,
                now,
                origin.key(),
                origin.digest(),
                null,
                origin.trace(),
                null),
            event,
            working.snapshot,
            row.sequence(),
            rejection);
    if (working.seal != null) {
      body = working.seal.entry(body);
    } else if (working.erased) {
      // There is no key any more to seal with, so what was sent is not kept.
      body = CanonicalJson.bytes(ClearPart.of(body));
    }
    byte[] hash = hashing.chain(row.refusalHead(), body);
    slot.change
        .entries()
        .add(
            new NewEntry(
                Chain.REFUSALS,
                count,
                hash,
                body,
                AnsweredKeys.isTakenBy(rejection) ? origin.key() : null));
    working.row = row.refused(count, hash);
    slot.dirty = true;
  }

  void pause(Slot slot, Origin origin, Event event, Command.Clocks clocks, long now) {
    String word = clocks == Command.Clocks.STOPPED ? "stopped" : "running";
    control(slot, origin, event, now, "timers", word);
    Working working = slot.working;
    working.row = working.row.standing(InstanceRow.Status.PAUSED, InstanceRow.NEVER);
    working.pausedAt = clocks == Command.Clocks.STOPPED ? now : -1;
  }

  void resume(Slot slot, Origin origin, Event event, long now) {
    Working working = slot.working;
    long pausedAt = stoppedAt(working);
    long shift = pausedAt < 0 ? 0 : now - pausedAt;
    working.snapshot = working.snapshot.postponed(shift);
    control(slot, origin, event, now, "timers", Map.of("shifted", shift));
    working.row =
        working
            .row
            .standing(InstanceRow.Status.LIVE, due(working.snapshot))
            .encoded(SnapshotCodec.bytes(working.snapshot));
  }

  /** Writes down that the instance's key is destroyed, and lets go of what it sealed. */
  void erase(Slot slot, Origin origin, Event event, long now) {
    control(slot, origin, event, now, "timers", null);
    Working working = slot.working;
    working.snapshot = Erasing.rest(working.snapshot);
    working.machine.searchable().forEach(field -> slot.change.search().put(field, null));
    working.seal = null;
    working.erased = true;
    slot.erases = true;
  }

  /** Writes down that the instance is again what its entries say. */
  void restore(Slot slot, Origin origin, Event event, Command.Restore restore, long now) {
    Working working = slot.working;
    control(slot, origin, event, now, "restored", working.row.sequence());
    Snapshot snapshot = working.snapshot;
    long configuration = working.machine.configuration(snapshot.configuration(), journal);
    InstanceRow row = working.row;
    InstanceRow.Status status =
        snapshot.done()
            ? InstanceRow.Status.ENDED
            : restore.paused()
                ? InstanceRow.Status.PAUSED
                : row.status() == InstanceRow.Status.HALTED
                    ? InstanceRow.Status.HALTED
                    : InstanceRow.Status.LIVE;
    working.pausedAt = 0;
    working.row =
        new InstanceRow(
            row.number(),
            row.id(),
            working.machine.number(),
            row.parent(),
            configuration,
            status,
            row.sequence(),
            row.head(),
            row.refusals(),
            row.refusalHead(),
            row.at(),
            restore.since(),
            status == InstanceRow.Status.LIVE ? due(snapshot) : InstanceRow.NEVER,
            SnapshotCodec.bytes(snapshot));
    search(working.machine, null, snapshot, slot.change);
  }

  /**
   * Since when the instance's clocks stand still; negative when they run.
   *
   * @throws UnreadableRowException when its row is paused and its entries are not
   */
  long stoppedAt(Working working) {
    if (working.row.status() != InstanceRow.Status.PAUSED) {
      return -1;
    }
    if (working.pausedAt != 0) {
      return working.pausedAt;
    }
    for (long sequence = working.row.sequence(); sequence > 0; sequence--) {
      // The newest may still be in the open group.
      List<EntryRow> found = journal.history(working.row.number(), Chain.STEPS, sequence, 1);
      Map<?, ?> body = found.isEmpty() ? Map.of() : body(found.getFirst());
      if ("pause".equals(body.get("kind"))) {
        boolean stopped = "stopped".equals(body.get("timers"));
        working.pausedAt = stopped && body.get("at") instanceof Long at ? at : -1;
        return working.pausedAt;
      }
      if (!found.isEmpty() && !AFTER_PAUSE.contains(body.get("kind"))) {
        break;
      }
    }
    throw new UnreadableRowException(working.row, notPaused());
  }

  private static IllegalStateException notPaused() {
    return new IllegalStateException("it says that it is paused, and none of its entries does");
  }

  private void control(
      Slot slot, Origin origin, Event event, long now, String detail, @Nullable Object value) {
    Working working = slot.working;
    InstanceRow row = working.row;
    long sequence = row.sequence() + 1;
    byte[] body =
        writer.control(
            new EntryWriter.Heading(
                origin.kind(),
                null,
                row.id(),
                sequence,
                now,
                origin.key(),
                origin.digest(),
                null,
                origin.trace(),
                null),
            event,
            working.snapshot,
            detail,
            value);
    byte[] hash = hashing.chain(row.head(), body);
    slot.change.entries().add(new NewEntry(Chain.STEPS, sequence, hash, body, origin.key()));
    working.row = row.recorded(sequence, hash, now);
    slot.dirty = true;
  }

  private static Object identity(PublishedChart machine) {
    return Map.of(
        "digest", machine.published.digest(),
        "name", machine.published.name(),
        "version", (long) machine.published.version());
  }

  static long due(Snapshot snapshot) {
    long due = InstanceRow.NEVER;
    for (Timer timer : snapshot.memory().timers()) {
      due = Math.min(due, timer.due());
    }
    return due;
  }

  private EffectRow effect(Working working, Step.Effect effect, long now) {
    byte[] input = CanonicalJson.bytes(effect.input());
    return new EffectRow(
        journal.reserve(1),
        working.row.number(),
        effect.key(),
        effect.name(),
        effect.reply(),
        effect.idempotent(),
        effect.during(),
        working.seal == null ? input : working.seal.bytes(Seals.place(effect.key()), input),
        now,
        0,
        0,
        null,
        false);
  }

  private static void search(
      PublishedChart machine, @Nullable Snapshot before, Snapshot after, Change change) {
    for (String field : machine.searchable()) {
      Object now = after.context().value(field);
      Object then = before == null ? null : before.context().value(field);
      if (!Objects.equals(now, then)) {
        String text =
            now == null ? null : now instanceof String plain ? plain : CanonicalJson.text(now);
        change.search().put(field, text);
      }
    }
  }

  /** The step as if another event, which says more, had caused it. */
  static Step of(Step step, Event cause) {
    return new Step(
        cause,
        step.after(),
        step.microsteps(),
        step.guards(),
        step.records(),
        step.effects(),
        step.messages(),
        step.timers(),
        step.children(),
        step.violations(),
        step.log());
  }

  /** The event that tells an instance how its effect ended; its send id is the effect's key. */
  static Event result(EffectRow effect, Outcome outcome) {
    String word;
    Object data;
    switch (outcome) {
      case Outcome.Succeeded(Object given) -> {
        word = "succeeded";
        data = given;
      }
      case Outcome.Failed(Object given) -> {
        word = "failed";
        data = given;
      }
      case Outcome.Unknown(String why) -> {
        word = "unknown";
        data = Map.of("why", why);
      }
      case Outcome.RetryAfter _ ->
          throw new IllegalArgumentException("An effect that is tried again has no result.");
    }
    return new Event(
        effect.reply() + "." + word,
        Event.Kind.EXTERNAL,
        data,
        Actor.SYSTEM,
        effect.key(),
        null,
        null,
        null);
  }

  static Event control(String name, Actor actor) {
    return new Event(name, Event.Kind.PLATFORM, null, actor, null, null, null, null);
  }

  static Receipt receipt(Working working) {
    InstanceRow row = working.row;
    return new Receipt(
        row.id(),
        row.sequence(),
        HEX.formatHex(row.head()),
        working.snapshot.configuration().leaves(),
        working.snapshot.done());
  }

  /** What the entry says, as far as the instance's key opens it. */
  static Map<?, ?> opened(EntryRow entry, Working working) {
    Map<?, ?> body = body(entry);
    Seal seal = working.seal;
    return seal != null && Seal.keyOf(body) != 0 ? ClearPart.read(seal.opened(body)) : body;
  }

  /** What was answered when the entry was written. */
  static Reply reply(EntryRow entry, Map<?, ?> body, String instance) {
    List<String> states =
        ((List<?>) Objects.requireNonNull(body.get("states")))
            .stream().map(String::valueOf).toList();
    return switch (entry.chain()) {
      case STEPS ->
          new Reply.Accepted(
              new Receipt(
                  instance,
                  entry.sequence(),
                  HEX.formatHex(entry.hash()),
                  states,
                  Boolean.TRUE.equals(body.get("ended")) || "erase".equals(body.get("kind"))));
      case REFUSALS -> new Reply.Rejected(rejection(body));
    };
  }

  private static Rejection rejection(Map<?, ?> body) {
    String word = String.valueOf(body.get("code"));
    for (Rejection.Code code : Rejection.Code.values()) {
      if (code.word().equals(word)) {
        Object message = body.get("message");
        return new Rejection(
            code, message == null ? "What it said was erased." : (String) message, List.of());
      }
    }
    throw new IllegalStateException("Expected a known rejection, but found '" + word + "'.");
  }

  /** The states that the entry's step left, also those that it entered again. */
  static Set<Object> exited(EntryRow entry) {
    Set<Object> exited = new HashSet<>();
    if (body(entry).get("microsteps") instanceof List<?> microsteps) {
      for (Object microstep : microsteps) {
        if (((Map<?, ?>) microstep).get("exited") instanceof List<?> states) {
          exited.addAll(states);
        }
      }
    }
    return exited;
  }

  static Map<?, ?> body(EntryRow entry) {
    try {
      return (Map<?, ?>)
          Objects.requireNonNull(Json.parse(new String(entry.body(), StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException(
          "Expected entry %d to be JSON, but it is not.".formatted(entry.position()), e);
    }
  }
}
