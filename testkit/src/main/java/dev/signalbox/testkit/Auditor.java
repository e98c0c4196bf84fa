package dev.signalbox.testkit;

import dev.signalbox.definition.Json;
import dev.signalbox.journal.Chain;
import dev.signalbox.journal.CommittedGroup;
import dev.signalbox.journal.EffectRow;
import dev.signalbox.journal.EntryRow;
import dev.signalbox.journal.InstanceRow;
import dev.signalbox.journal.Journal;
import dev.signalbox.journal.Tombstone;
import dev.signalbox.kernel.Actor;
import dev.signalbox.kernel.Rejection;
import dev.signalbox.runtime.Command;
import dev.signalbox.runtime.EffectHandler;
import dev.signalbox.runtime.Host;
import dev.signalbox.runtime.Instance;
import dev.signalbox.runtime.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows a journal and everything that was told to the outside, and says where they disagree: an
 * answer that is not in the journal, a command carried out twice, an effect before its commit or
 * one too many; what concerns time and families is in {@link TimerAudit} and {@link FamilyAudit}.
 */
final class Auditor {
  private static final int MOST = 20;

  /** Refusals that leave nothing in the journal under the command's key. */
  private static final Set<Rejection.Code> UNRECORDED =
      EnumSet.of(
          Rejection.Code.BUSY,
          Rejection.Code.TOO_LARGE,
          Rejection.Code.BAD_DATA,
          Rejection.Code.UNKNOWN_MACHINE,
          Rejection.Code.MACHINE_PAUSED,
          Rejection.Code.UNKNOWN_INSTANCE,
          Rejection.Code.INSTANCE_EXISTS,
          Rejection.Code.ROLE_REQUIRED,
          Rejection.Code.KEY_TAKEN);

  private final Journal journal;
  private final Environments environments;
  private final List<String> findings = new ArrayList<>();
  private final TimerAudit timers = new TimerAudit(this::found);
  private final FamilyAudit family = new FamilyAudit(this::found);
  private final Set<String> keys = new HashSet<>();
  private final Set<Object> delivered = new HashSet<>();
  private final Map<String, Effect> effects = new HashMap<>();

  /** Of each instance the effects that end with a state. */
  private final Map<String, List<Effect>> belonging = new HashMap<>();

  private final Map<String, Reply> answers = new HashMap<>();
  private final Map<String, Integer> performed = new HashMap<>();

  /** Ids that were archived once; who has them now may be another. */
  private final Set<String> archived = new HashSet<>();

  private final Set<Long> buried = new HashSet<>();

  /** The numbers of the instances that were erased. */
  private final Set<Long> erased = new HashSet<>();

  /** How many sealed entries each instance has that is in the store. */
  private final Map<Long, Long> sealed = new HashMap<>();

  private long group;
  private long entries;
  private long allEffects;

  Auditor(Journal journal) {
    this.journal = journal;
    this.environments = new Environments(journal);
  }

  /** An effect that a committed entry asked for. */
  private static final class Effect {
    final boolean idempotent;

    /** The state with which it ends, or null. */
    final @Nullable String during;

    boolean ended;

    /** Its state was left, so nobody begins it any more, and what it still reports is late. */
    boolean left;

    /** Somebody took it out of the store, so nobody does it and it has no end. */
    boolean taken;

    Effect(boolean idempotent, @Nullable String during) {
      this.idempotent = idempotent;
      this.during = during;
    }
  }

  boolean isContent() {
    return findings.isEmpty();
  }

  List<String> findings() {
    return List.copyOf(findings);
  }

  long entries() {
    return entries;
  }

  /** How many effects were asked for. */
  long effects() {
    return allEffects;
  }

  long timers() {
    return timers.fired();
  }

  long messages() {
    return delivered.size();
  }

  /** Somebody saw what must not be. */
  void found(String message) {
    if (findings.size() < MOST) {
      findings.add(message);
    }
  }

  /** A handler was asked to do an effect. */
  void performed(EffectHandler.Call call) {
    follow();
    Effect effect = effects.get(call.key());
    if (effect == null) {
      found(
          "effect %s was started before the step that asks for it was committed"
              .formatted(call.key()));
      return;
    }
    if (effect.taken) {
      found("effect %s was done, and the store has it no more".formatted(call.key()));
    }
    int times = performed.merge(call.key(), 1, Integer::sum);
    if (times > 1 && !effect.idempotent) {
      found("effect %s must not be repeated, and was done %d times".formatted(call.key(), times));
    }
  }

  /** The handler said that it did nothing. */
  void notDone(EffectHandler.Call call) {
    performed.merge(call.key(), -1, Integer::sum);
  }

  /** Somebody got an answer. */
  void answered(Command command, Reply reply) {
    String instance;
    String key;
    switch (command) {
      case Command.Start start -> {
        instance = Objects.requireNonNull(start.id());
        key = Objects.requireNonNull(start.key());
      }
      case Command.Send send -> {
        instance = send.instance();
        key = Objects.requireNonNull(send.key());
      }
      case Command.Cancel cancel -> {
        instance = cancel.instance();
        key = Objects.requireNonNull(cancel.key());
      }
      case Command.Pause pause -> {
        instance = pause.instance();
        key = Objects.requireNonNull(pause.key());
      }
      case Command.Resume resume -> {
        instance = resume.instance();
        key = Objects.requireNonNull(resume.key());
      }
      case Command.Migrate migrate -> {
        instance = migrate.instance();
        key = Objects.requireNonNull(migrate.key());
      }
      case Command.Erase erase -> {
        instance = erase.instance();
        key = Objects.requireNonNull(erase.key());
      }
      case Command.Fork fork -> {
        instance = Objects.requireNonNull(fork.id());
        key = Objects.requireNonNull(fork.key());
      }
      case Command.Correct correct -> {
        instance = correct.instance();
        key = Objects.requireNonNull(correct.key());
      }
      case Command.GiveUp giveUp -> {
        instance = giveUp.instance();
        key = Objects.requireNonNull(giveUp.key());
      }
      case Command.Fire _,
          Command.Deliver _,
          Command.Conclude _,
          Command.Restore _,
          Command.Branch _ ->
          throw new IllegalArgumentException("Nobody waits for the engine's own commands.");
    }
    if (reply instanceof Reply.Rejected(Rejection rejection)
        && (UNRECORDED.contains(rejection.code())
            || rejection.message().contains(FaultyStore.SIMULATED))) {
      return;
    }
    if (archived.contains(instance) || isRefusedAtTheDoor(command, reply)) {
      return;
    }
    InstanceRow row = journal.load(instance);
    EntryRow entry = row == null ? null : journal.keyed(row.number(), key);
    if (entry == null) {
      found("%s was answered with %s, which is not in the journal".formatted(key, reply));
      return;
    }
    switch (reply) {
      case Reply.Accepted(var receipt) -> {
        if (entry.chain() != Chain.STEPS
            || entry.sequence() != receipt.sequence()
            || !HexFormat.of().formatHex(entry.hash()).equals(receipt.hash())) {
          found(
              "%s was answered with %s, and the journal has another entry".formatted(key, receipt));
        }
        swept(command, entry);
        if (command instanceof Command.Send send
            && send.expectedSequence() != null
            && receipt.sequence() != send.expectedSequence() + 1) {
          found("%s was for another entry than %s".formatted(key, receipt));
        }
      }
      case Reply.Rejected(var rejection) -> {
        if (entry.chain() != Chain.REFUSALS) {
          found(
              "%s was refused with %s, and the journal has it as a step".formatted(key, rejection));
        }
      }
    }
    Reply before = answers.putIfAbsent(instance + " " + key, reply);
    if (before != null && !isSame(before, reply)) {
      found("%s was answered with %s and then with %s".formatted(key, before, reply));
    }
  }

  /** A fork that has nowhere to begin reaches no instance, nor does a correction of nothing. */
  private static boolean isRefusedAtTheDoor(Command command, Reply reply) {
    return (command instanceof Command.Fork || command instanceof Command.Correct)
        && reply instanceof Reply.Rejected;
  }

  /** What only a sweep may do is done as what it is, and for nobody else. */
  private void swept(Command command, EntryRow entry) {
    Actor actor;
    String kind;
    switch (command) {
      case Command.Correct correct -> {
        actor = correct.actor();
        kind = "correct";
      }
      case Command.GiveUp giveUp -> {
        actor = giveUp.actor();
        kind = "effect";
      }
      default -> {
        return;
      }
    }
    if (!actor.roles().contains("sweep")) {
      found("%s was done for %s, who may not".formatted(entry.key(), actor.name()));
    }
    Object written = body(entry).get("kind");
    if (!kind.equals(written)) {
      found("%s is a %s in the journal, not a %s".formatted(entry.key(), written, kind));
    }
  }

  /** The effect whose result an instance waits for, though there is no such effect, or null. */
  @Nullable String missing(Instance instance) {
    return FinalAudit.missing(journal, instance, environments.of(instance));
  }

  /** Somebody took an effect out of the store. */
  void taken(EffectRow row) {
    follow();
    Objects.requireNonNull(effects.get(row.key())).taken = true;
  }

  /** A row that was changed past the runtime was put right: it is what it was before. */
  void corrected(InstanceRow before) {
    InstanceRow now = Objects.requireNonNull(journal.load(before.number()));
    if (now.sequence() == before.sequence()) {
      found("the row of %s was changed, and nothing puts it right".formatted(before.id()));
    } else if (now.sequence() == before.sequence() + 1
        && (now.status() != before.status()
            || now.configuration() != before.configuration()
            || now.machine() != before.machine()
            || now.due() != before.due())) {
      found("the row of %s was put right, and is not what it was".formatted(before.id()));
    }
  }

  /** A node met something that is not supposed to happen at all. */
  void fault(Throwable e) {
    found("a node met a fault of its own: " + e);
  }

  /** Sees which instances were archived since it last looked, and forgets what it knew of them. */
  Set<String> archived() {
    Set<String> fresh = new HashSet<>();
    long after = 0;
    List<Tombstone> page;
    do {
      page = journal.tombstones(after, 1_000);
      for (Tombstone tombstone : page) {
        after = tombstone.number();
        if (buried.add(tombstone.number())) {
          fresh.add(tombstone.id());
          sealed.remove(tombstone.number());
          erased.remove(tombstone.number());
        }
      }
    } while (page.size() == 1_000);
    if (!fresh.isEmpty()) {
      archived.addAll(fresh);
      keys.removeIf(key -> fresh.contains(key.substring(0, key.indexOf(' '))));
      effects.forEach((key, effect) -> {
        if (fresh.contains(instance(key)) && isUnsettled(effect)) {
          found("the end of effect %s is nowhere, and its instance is archived".formatted(key));
        }
      });
      effects.keySet().removeIf(key -> fresh.contains(instance(key)));
      performed.keySet().removeIf(key -> fresh.contains(instance(key)));
      timers.forget(fresh);
      family.forget(fresh);
      belonging.keySet().removeAll(fresh);
    }
    return fresh;
  }

  /** The instance that asked for the effect. */
  static String instance(String effect) {
    return effect.substring(0, effect.lastIndexOf('#'));
  }

  private static boolean isSame(Reply one, Reply other) {
    return switch (one) {
      case Reply.Accepted accepted -> accepted.equals(other);
      case Reply.Rejected(Rejection rejection) ->
          other instanceof Reply.Rejected(Rejection again) && again.code() == rejection.code();
    };
  }

  /** Reads what was committed since it last looked. */
  void follow() {
    while (true) {
      List<CommittedGroup> page = journal.groups(group, 100);
      for (CommittedGroup committed : page) {
        committed.entries().forEach(this::entry);
        group = committed.number();
      }
      if (page.size() < 100) {
        return;
      }
    }
  }

  private void entry(EntryRow row) {
    entries++;
    Map<?, ?> body = body(row);
    String instance = String.valueOf(body.get("instance"));
    if (row.key() != null && !keys.add(instance + " " + row.key())) {
      found("the command with key %s was carried out twice".formatted(row.key()));
    }
    if (body.containsKey("sealed")) {
      sealed.merge(row.instance(), 1L, Long::sum);
    }
    if ("erase".equals(body.get("kind"))) {
      erased.add(row.instance());
    }
    Object cause = body.get("cause");
    if (cause instanceof Long number && !delivered.add(number)) {
      found("message %d was delivered twice".formatted(number));
    }
    if (body.get("event") instanceof Map<?, ?> event
        && event.get("send_id") instanceof String key
        && effects.containsKey(key)
        && !"late-result".equals(body.get("code"))) {
      ended(key, row.chain() == Chain.STEPS);
    }
    family.event(instance, body);
    if (row.chain() == Chain.STEPS) {
      effects(instance, body);
      family.step(instance, body);
      timers.step(instance, body);
    }
  }

  /** What the step does to effects: some end with a state that it leaves, and some are new. */
  private void effects(String instance, Map<?, ?> body) {
    boolean over = Boolean.TRUE.equals(body.get("ended"));
    Set<Object> left = new HashSet<>();
    Set<Object> away = new HashSet<>();
    if (body.get("microsteps") instanceof List<?> microsteps) {
      for (Object microstep : microsteps) {
        List<?> exited = states(microstep, "exited");
        left.addAll(exited);
        away.addAll(exited);
        states(microstep, "entered").forEach(away::remove);
      }
    }
    for (Effect effect : belonging.getOrDefault(instance, List.of())) {
      effect.left |= over || left.contains(effect.during);
    }
    if (!(body.get("effects") instanceof List<?> asked)) {
      return;
    }
    for (Object one : asked) {
      Map<?, ?> view = (Map<?, ?>) one;
      String key = String.valueOf(view.get("key"));
      String during = view.get("during") instanceof String state ? state : null;
      Effect effect = new Effect(Boolean.TRUE.equals(view.get("idempotent")), during);
      effects.put(key, effect);
      allEffects++;
      if (during != null) {
        effect.left = over || away.contains(during);
        belonging.computeIfAbsent(instance, _ -> new ArrayList<>()).add(effect);
      }
    }
  }

  private static List<?> states(Object microstep, String field) {
    return ((Map<?, ?>) microstep).get(field) instanceof List<?> states ? states : List.of();
  }

  /**
   * @param taken whether the instance took the result; else it is a refusal
   */
  private void ended(String key, boolean taken) {
    Effect effect = Objects.requireNonNull(effects.get(key));
    if (effect.ended) {
      found("effect %s ended twice".formatted(key));
    }
    if (effect.taken) {
      found("effect %s ended, and the store has it no more".formatted(key));
    }
    if (effect.left && taken) {
      found("effect %s ended after the state with which it ends".formatted(key));
    }
    effect.ended = true;
  }

  static Map<?, ?> body(EntryRow row) {
    try {
      return (Map<?, ?>)
          Objects.requireNonNull(Json.parse(new String(row.body(), StandardCharsets.UTF_8)));
    } catch (Json.SyntaxException e) {
      throw new IllegalStateException("An entry is JSON.", e);
    }
  }

  /** Everything has come to rest: what is left, and whether the journal can be verified. */
  void finish(long now, Host host, FinalAudit.Past past) {
    follow();
    new FinalAudit(journal, host, past, this::found).look(now, erased, sealed);
    effects.forEach(this::settled);
    family.finish(journal);
  }

  private void settled(String key, Effect effect) {
    if (isUnsettled(effect) && isGone(key)) {
      found("the end of effect %s is nowhere".formatted(key));
    }
  }

  private static boolean isUnsettled(Effect effect) {
    return !effect.ended && !effect.taken && !effect.left;
  }

  /** Whether nothing keeps the result from its instance. */
  private boolean isGone(String key) {
    InstanceRow row = journal.load(instance(key));
    return row == null
        || row.status() == InstanceRow.Status.LIVE
        || row.status() == InstanceRow.Status.ENDED;
  }
}
