package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Configuration;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.Snapshot;
import dev.signalbox.kernel.Step;
import dev.signalbox.kernel.Timer;
import dev.signalbox.kernel.TimerChange;
import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Machine;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Brings snapshots into the one form that all snapshots with the same future have: without the data
 * that makes no difference, generated numbers, and the order in which equal things happened.
 */
final class Canon {
  /** Longer lists of unknown items are only known to be at least this long. */
  private static final int LONGEST = 3;

  /** Where it is asked how many items a field has, or for one of them by its place. */
  private static final Pattern COUNTED =
      Pattern.compile(
          "size\\(\\s*(?:ctx|data)\\.(\\w+)|(?:ctx|data)\\.(\\w+)(?:\\s*\\[|\\.size\\()");

  private final LiveFields live;

  /** The fields of whose items it matters how many there are, not only whether there is one. */
  private final Set<String> counted = new HashSet<>();

  private final Map<String, String> frozen = new LinkedHashMap<>();
  private final Map<String, Long> most = new LinkedHashMap<>();
  private final boolean idsAreData;
  private final String root;

  /** The term of each slot, once the layout is known. */
  private final List<Term> fields = new ArrayList<>();

  Canon(Machine machine, Content content, LiveFields live) {
    this.live = live;
    for (Content.Use use : content.uses()) {
      Matcher asked = COUNTED.matcher(use.expr().text());
      while (asked.find()) {
        counted.add(asked.group(1) == null ? asked.group(2) : asked.group(1));
      }
      if (use.role() == Content.Role.LIST) {
        machine.context().stream()
            .map(Field::name)
            .filter(name -> use.expr().text().contains(name))
            .forEach(counted::add);
      }
    }
    this.root = machine.mode() == Machine.Mode.STRICT ? "ctx" : "data";
    for (Invariant invariant : machine.invariants()) {
      if (invariant instanceof Invariant.Frozen f) {
        frozen.put(f.name(), f.field());
      }
      if (invariant instanceof Invariant.Times times) {
        long bound = Math.max(times.min(), (long) times.max());
        most.put(times.name(), bound == Integer.MAX_VALUE ? times.min() + 1L : bound + 1);
      }
    }
    idsAreData =
        content.acts().stream()
            .anyMatch(a -> a.action() instanceof Action.Send send && send.idLocation() != null);
  }

  /** A snapshot and what is known about its unknown parts. */
  record Form(Snapshot snapshot, Facts facts) {}

  Form form(Step step, Facts facts) {
    Snapshot after = step.after();
    Configuration at = after.configuration();
    if (after.done()) {
      return new Form(ended(after), Facts.NONE);
    }
    Map<Term, Domain> known = facts.asMap();
    if (!known.isEmpty()) {
      known.keySet().removeIf(t -> t.fields().stream().noneMatch(f -> live.isLive(f, at)));
    }
    Context context = context(after.context(), at, known);
    Snapshot.Memory memory = memory(after.memory(), context, scheduled(step));
    return new Form(
        new Snapshot(
            after.instance(), after.parent(), after.configuration(), context, after.done(), memory),
        Facts.of(known));
  }

  /** Nothing follows an end, whatever was known. */
  private static Snapshot ended(Snapshot after) {
    Context context = after.context();
    for (int i = 0; i < context.layout().size(); i++) {
      context = context.with(i, Unknown.VALUE);
    }
    return new Snapshot(
        after.instance(),
        after.parent(),
        after.configuration(),
        context,
        true,
        Snapshot.Memory.EMPTY);
  }

  private Context context(Context context, Configuration at, Map<Term, Domain> facts) {
    Context.Layout layout = context.layout();
    if (fields.isEmpty()) {
      layout.names().forEach(n -> fields.add(Term.field(root, n)));
    }
    Context result = context;
    for (int i = 0; i < layout.size(); i++) {
      Object value = context.slot(i);
      if (value == Unknown.VALUE) {
        Domain fact = facts.isEmpty() ? null : facts.get(fields.get(i));
        Optional<Object> only = fact == null ? Optional.empty() : fact.single();
        if (only.isPresent() && !frozen.containsValue(layout.name(i))) {
          result = result.with(i, only.get());
          facts.remove(fields.get(i));
        }
      } else if (!live.isLive(layout.name(i), at)) {
        result = result.with(i, Unknown.VALUE);
      } else if (value instanceof List<?> list
          && list.size() > (counted.contains(layout.name(i)) ? LONGEST : 0)
          && list.stream().allMatch(item -> item == Unknown.VALUE)) {
        result = result.with(i, Unknown.VALUE);
        long least = counted.contains(layout.name(i)) ? LONGEST + 1 : 1;
        facts.put(fields.get(i).length(), Domain.between(least, Long.MAX_VALUE));
      }
      if (!counted.contains(layout.name(i)) && !facts.isEmpty()) {
        facts.computeIfPresent(
            fields.get(i).length(),
            (_, size) -> size.least() >= 1 ? Domain.between(1, Long.MAX_VALUE) : null);
      }
    }
    return result;
  }

  /** The field as a term. */
  Term field(String name) {
    return Term.field(root, name);
  }

  private static Set<String> scheduled(Step step) {
    Set<String> ids = new HashSet<>();
    for (TimerChange change : step.timers()) {
      if (change instanceof TimerChange.Scheduled(Timer timer)) {
        ids.add(timer.id());
      }
    }
    return ids;
  }

  private Snapshot.Memory memory(Snapshot.Memory memory, Context context, Set<String> fresh) {
    List<Timer> timers = timers(memory.timers(), fresh);
    Map<String, Object> monitors = monitors(memory.monitors(), context);
    return new Snapshot.Memory(
        memory.history(),
        timers,
        memory.remaining(),
        memory.children(),
        monitors,
        memory.bound(),
        idsAreData ? memory.ids() : timers.size(),
        null);
  }

  /**
   * The timers in the order in which they were scheduled, those of one step in the order in which
   * they fall due, with numbers from one on.
   */
  private List<Timer> timers(List<Timer> timers, Set<String> fresh) {
    if (timers.isEmpty()) {
      return timers;
    }
    List<Timer> ordered = new ArrayList<>();
    List<Timer> latest = new ArrayList<>();
    for (Timer timer : timers) {
      (fresh.contains(timer.id()) ? latest : ordered).add(timer);
    }
    latest.sort(Comparator.comparingLong(Timer::due));
    ordered.addAll(latest);
    if (idsAreData) {
      return ordered;
    }
    int number = 0;
    for (int i = 0; i < ordered.size(); i++) {
      Timer timer = ordered.get(i);
      if (timer.id().startsWith("send:")) {
        number++;
        ordered.set(
            i,
            new Timer(
                "send:" + number, timer.sendId(), timer.state(), timer.due(), timer.message()));
      }
    }
    return ordered;
  }

  /** Beyond the most that may be, and the least that must, one more makes no difference. */
  private Map<String, Object> saturated(Map<String, Object> monitors) {
    if (most.keySet().stream().noneMatch(monitors::containsKey)) {
      return monitors;
    }
    Map<String, Object> result = new LinkedHashMap<>(monitors);
    most.forEach((name, bound) ->
        result.computeIfPresent(
            name,
            (_, state) -> {
              if (state instanceof Long count) {
                return Math.min(count, bound);
              }
              if (!(state instanceof Map<?, ?> counts)) {
                return state;
              }
              Map<Object, Object> fewer = new LinkedHashMap<>();
              counts.forEach(
                  (key, n) -> fewer.put(key, n instanceof Long count ? Math.min(count, bound) : n));
              return Collections.unmodifiableMap(fewer);
            }));
    return Collections.unmodifiableMap(result);
  }

  /** What a frozen field held is unknown once the field is. */
  private Map<String, Object> monitors(Map<String, Object> counted, Context context) {
    Map<String, Object> monitors = saturated(counted);
    Map<String, Object> result = monitors;
    for (Map.Entry<String, String> entry : frozen.entrySet()) {
      Object held = monitors.get(entry.getKey());
      int slot = context.layout().index(entry.getValue());
      if (held != null && slot >= 0 && context.slot(slot) == Unknown.VALUE) {
        if (result == monitors) {
          result = new LinkedHashMap<>(monitors);
        }
        result.put(entry.getKey(), List.of(Unknown.VALUE));
      }
    }
    return result == monitors ? monitors : Collections.unmodifiableMap(result);
  }

  /** The snapshot with some fields unknown. */
  Snapshot blur(Snapshot snapshot, boolean[] fields) {
    Context context = snapshot.context();
    for (int i = 0; i < fields.length; i++) {
      if (fields[i] && context.slot(i) != Unknown.VALUE) {
        context = context.with(i, Unknown.VALUE);
      }
    }
    if (context == snapshot.context()) {
      return snapshot;
    }
    Snapshot.Memory memory = snapshot.memory();
    return new Snapshot(
        snapshot.instance(),
        snapshot.parent(),
        snapshot.configuration(),
        context,
        snapshot.done(),
        new Snapshot.Memory(
            memory.history(),
            memory.timers(),
            memory.remaining(),
            memory.children(),
            monitors(memory.monitors(), context),
            memory.bound(),
            memory.ids(),
            memory.output()));
  }

  static boolean sameSlot(@Nullable Object one, @Nullable Object other) {
    return one == null ? other == null : one.equals(other);
  }
}
