package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether the invariants speak of things that exist, and whether an edge is plainly forbidden. */
final class InvariantChecks {
  private final Inspection in;
  private final Outline outline;
  private final List<String> awaited = new ArrayList<>();
  private final Map<String, List<Payload>> records = new LinkedHashMap<>();
  private final Set<String> fields = new HashSet<>();

  InvariantChecks(Inspection in) {
    this.in = in;
    this.outline = in.outline();
    List<State> all = new ArrayList<>(List.of(outline.root()));
    all.addAll(outline.states());
    for (State state : all) {
      state.data().stream().map(Field::name).forEach(fields::add);
      for (Transition transition : state.transitions()) {
        switch (transition.trigger()) {
          case Trigger.On on -> awaited.addAll(on.descriptors());
          case Trigger.After after when after.event() != null -> awaited.add(after.event());
          case Trigger.After _, Trigger.Always _ -> {}
        }
      }
    }
    in.machine().context().stream().map(Field::name).forEach(fields::add);
    for (Content.Act act : in.content().acts()) {
      if (act.action() instanceof Action.Emit(String kind, Payload data)) {
        records.computeIfAbsent(kind, _ -> new ArrayList<>()).add(data);
      }
    }
  }

  void run() {
    Map<String, Invariant> seen = new HashMap<>();
    for (Invariant invariant : in.machine().invariants()) {
      if (seen.putIfAbsent(invariant.name(), invariant) != null) {
        in.error(
            "duplicate-name",
            invariant,
            "Expected every invariant to have a name of its own, but '%s' names two."
                .formatted(invariant.name()),
            "Rename one of them.");
      }
      check(invariant);
    }
  }

  private void check(Invariant invariant) {
    switch (invariant) {
      case Invariant.Never never -> {
        fact(never, never.fact());
        if (never.fact() instanceof Fact.Moves(String from, String to)) {
          forbiddenEdges(never, from, to);
        }
      }
      case Invariant.Apart apart -> {
        apart.states().forEach(s -> state(apart, s));
        if (apart.states().size() < 2) {
          bad(apart, "two states or more to keep apart", "it names " + apart.states().size());
        }
      }
      case Invariant.Always always -> state(always, always.in());
      case Invariant.Before before -> {
        fact(before, before.reaching());
        fact(before, before.first());
      }
      case Invariant.LeadsTo leadsTo -> leadsTo(leadsTo);
      case Invariant.Times times -> {
        fact(times, times.fact());
        if (times.min() < 0 || times.max() < times.min()) {
          bad(
              times,
              "at least 0 times and no fewer at most than at least",
              "it says %d to %d".formatted(times.min(), times.max()));
        }
      }
      case Invariant.OneAtATime one -> {
        fact(one, one.opens());
        fact(one, one.closes());
      }
      case Invariant.Frozen frozen -> {
        state(frozen, frozen.after());
        if (!fields.contains(frozen.field())) {
          in.error(
              "unknown-field",
              frozen,
              "Expected the invariant '%s' to freeze a field of the context, but there is no '%s'."
                  .formatted(frozen.name(), frozen.field()),
              Inspection.suggest(frozen.field(), fields, "Declare the field under 'context'."));
        }
      }
    }
  }

  private void leadsTo(Invariant.LeadsTo leadsTo) {
    fact(leadsTo, leadsTo.trigger());
    leadsTo.responses().forEach(r -> fact(leadsTo, r));
    state(leadsTo, leadsTo.target());
    if (leadsTo.responses().isEmpty()) {
      bad(leadsTo, "a response", "it names none");
    }
    if ((leadsTo.within() == null) != (leadsTo.target() == null)) {
      bad(
          leadsTo,
          "'within' and 'target' together or not at all",
          "it has only " + (leadsTo.within() == null ? "'target'" : "'within'"));
    }
  }

  private void bad(Invariant invariant, String expected, String found) {
    in.error(
        "bad-invariant",
        invariant,
        "Expected the invariant '%s' to have %s, but %s."
            .formatted(invariant.name(), expected, found),
        "");
  }

  private void fact(Invariant invariant, Fact fact) {
    switch (fact) {
      case Fact.Enters(String id) -> state(invariant, id);
      case Fact.Moves(String from, String to) -> {
        state(invariant, from);
        state(invariant, to);
      }
      case Fact.Receives(String event) -> event(invariant, event);
      case Fact.Emits(String kind, String key) -> record(invariant, kind, key);
    }
  }

  private void state(Invariant invariant, @Nullable String id) {
    if (id == null) {
      return;
    }
    State state = outline.find(id);
    if (state == null) {
      in.error(
          "unknown-state",
          invariant,
          "Expected the invariant '%s' to name states of the machine, but there is no '%s'."
              .formatted(invariant.name(), id),
          Inspection.suggest(id, outline.ids(), "Define the state, or correct the name."));
    } else if (state.kind().isHistory() || state.kind().isPoint()) {
      in.error(
          "unknown-state",
          invariant,
          "Expected the invariant '%s' to name states that can be active, but '%s' is only passed."
              .formatted(invariant.name(), id),
          "Name the states before or after it.");
    }
  }

  private void event(Invariant invariant, String event) {
    if (!Descriptors.overlap(List.of(event), awaited)) {
      in.error(
          "unknown-event",
          invariant,
          "Expected the invariant '%s' to name an event of the machine, but no transition waits for"
                  .formatted(invariant.name())
              + " '"
              + event
              + "'.",
          Inspection.suggest(event, awaited, "Add the transition, or correct the name."));
    }
  }

  private void record(Invariant invariant, String kind, @Nullable String key) {
    List<Payload> emitted = records.get(kind);
    if (emitted == null) {
      in.error(
          "unknown-record",
          invariant,
          "Expected the invariant '%s' to name a record of the machine, but nothing emits '%s'."
              .formatted(invariant.name(), kind),
          Inspection.suggest(kind, records.keySet(), "Emit the record, or correct the name."));
    } else if (key != null
        && emitted.stream()
            .anyMatch(p ->
                p.content() == null
                    && p.params().stream().noneMatch(param -> param.name().equals(key)))) {
      in.error(
          "unknown-record-field",
          invariant,
          "Expected every record '%s' to carry '%s', by which the invariant '%s' tells them apart,"
                  .formatted(kind, key, invariant.name())
              + " but not every 'emit' gives it.",
          "Add '" + key + "' to the data of each.");
    }
  }

  /** Transitions that lead straight from the one state to the other. */
  private void forbiddenEdges(Invariant.Never never, String from, String to) {
    State source = outline.find(from);
    State target = outline.find(to);
    if (source == null || target == null) {
      return;
    }
    List<State> sources = new ArrayList<>(List.of(source));
    sources.addAll(outline.descendants(source));
    for (State state : sources) {
      for (Transition transition : state.transitions()) {
        for (State end : outline.targets(transition)) {
          boolean leaves = !outline.isWithin(end, source);
          if (leaves && outline.isWithin(end, target)) {
            in.error(
                "forbidden-edge",
                transition,
                "Expected no transition from '%s' to '%s', since the invariant '%s' forbids it, but"
                        .formatted(from, to, never.name())
                    + " here is one.",
                "Remove the transition, or the invariant.");
          }
        }
      }
    }
  }
}
