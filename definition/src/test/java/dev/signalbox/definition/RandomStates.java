package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Machine.Mode;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The states of a random machine, what they do, and invariants about them. */
final class RandomStates {
  private final Dice dice;
  private final Mode mode;
  private final List<String> ids;
  private final int inlines;
  private int used;

  /**
   * @param inlines how many levels of machines inside this one there may be
   */
  RandomStates(Dice dice, Mode mode, int states, int inlines) {
    this.dice = dice;
    this.mode = mode;
    this.inlines = inlines;
    this.ids =
        IntStream.range(0, states)
            .mapToObj(i -> dice.pick("S", "PLANNING", "warte-", "a.b", "5m", "true") + i)
            .toList();
  }

  State root() {
    State.Builder root = State.named(Machine.ROOT);
    while (used < ids.size()) {
      root.child(state(1));
    }
    boolean parallel = dice.chance(5);
    if (parallel) {
      root.kind(Kind.PARALLEL);
    } else if (dice.chance(40)) {
      root.initial(initial());
    }
    if (dice.chance(10)) {
      addBehaviour(root);
    }
    return root.build();
  }

  private State state(int level) {
    State.Builder state = State.named(ids.get(used++));
    Kind kind = dice.chance(60) ? Kind.STATE : dice.pick(Kind.values());
    boolean parent = level < 5 && used < ids.size() && dice.chance(40);
    if (kind == Kind.PARALLEL && !parent) {
      kind = Kind.STATE;
    }
    state.kind(kind).note(dice.maybe(dice::text));
    switch (kind) {
      case STATE, PARALLEL -> {
        addBehaviour(state);
        if (parent) {
          addChildren(state, kind, level);
        }
      }
      case FINAL -> state.done(dice.maybe(dice::payload)).onEntry(actions(2));
      case SHALLOW_HISTORY, DEEP_HISTORY -> {
        if (dice.chance(80)) {
          state.initial(initial());
        }
      }
      case CHOICE, FORK, JOIN -> {
        state.transition(transition(new Trigger.Always()));
        state.transition(transition(new Trigger.Always()));
      }
    }
    return state.build();
  }

  private void addChildren(State.Builder state, Kind kind, int level) {
    int children = 1 + dice.below(3);
    for (int i = 0; i < children && used < ids.size(); i++) {
      state.child(state(level + 1));
    }
    if (kind == Kind.STATE && dice.chance(50)) {
      state.initial(initial());
    }
  }

  private void addBehaviour(State.Builder state) {
    for (int i = dice.below(5); i > 0; i--) {
      state.transition(transition(trigger()));
    }
    for (int i = dice.chance(30) ? 1 + dice.below(2) : 0; i > 0; i--) {
      state.onEntry(actions(2));
    }
    for (int i = dice.chance(30) ? 1 + dice.below(2) : 0; i > 0; i--) {
      state.onExit(actions(1));
    }
    for (int i = dice.chance(20) ? 1 + dice.below(2) : 0; i > 0; i--) {
      state.invoke(invoke());
    }
    if (mode == Mode.SCXML && dice.chance(20)) {
      RandomMachines.fields(dice, 2).forEach(state::field);
    }
    state.tools(dice.maybe(() -> dice.chance(30) ? List.of() : List.of("lint", dice.name())));
    state.waits(dice.maybe(dice::text));
  }

  private List<String> targets() {
    return switch (dice.below(5)) {
      case 0 -> List.of();
      case 1 -> List.of(dice.pick(ids), dice.pick(ids));
      default -> List.of(dice.pick(ids));
    };
  }

  private Transition initial() {
    Transition plain = Transition.to(dice.pick(ids));
    return dice.chance(60) ? plain : plain.doing(actions(1)).labelled(dice.maybe(dice::text));
  }

  private Trigger trigger() {
    return switch (dice.below(6)) {
      case 0 -> new Trigger.Always();
      case 1 -> new Trigger.On(List.of("a.*", dice.name()));
      case 2 ->
          new Trigger.After(
              dice.delay(), dice.maybe(() -> dice.pick("late", "5m", "30")), dice.chance(30));
      case 3 -> new Trigger.After(Operand.literal(dice.duration()), null, dice.chance(30));
      default -> Trigger.on(dice.pick("go", "stop", "*", "30", "true", dice.name()));
    };
  }

  private Transition transition(Trigger trigger) {
    Guard guard = dice.maybe(() -> new Guard(dice.maybe(dice::name), dice.expression()));
    return new Transition(
        trigger,
        guard,
        targets(),
        dice.chance(10),
        dice.chance(60) ? List.of() : actions(2),
        dice.chance(80) ? null : dice.text());
  }

  private List<Action> actions(int depth) {
    List<Action> actions = new ArrayList<>();
    for (int i = dice.below(4); i > 0; i--) {
      actions.add(action(depth));
    }
    return actions;
  }

  private Retry retry() {
    return new Retry(
        1 + dice.below(20),
        Duration.ofMillis(dice.below(100_000)),
        1 + dice.below(5),
        Duration.ofMillis(100_000 + dice.below(10_000_000)),
        Stream.of(Retry.Failure.values()).filter(_ -> dice.chance(50)).toList());
  }

  private Action action(int depth) {
    return switch (dice.below(depth > 0 ? 10 : 8)) {
      case 0, 1 -> new Action.Assign(dice.pick("a", "a.b", "x-y", "5"), dice.value());
      case 2 -> new Action.Raise(dice.named(), dice.payload());
      case 3 -> send();
      case 4 -> new Action.Cancel(dice.named());
      case 5 -> new Action.Log(dice.maybe(dice::text), dice.maybe(dice::value));
      case 6 -> new Action.Emit(dice.name(), dice.payload());
      case 7 ->
          new Action.Perform(
              dice.pick("lint", "mail"),
              dice.pick("lint", "sent"),
              dice.chance(50),
              dice.maybe(() -> dice.pick(ids.toArray(String[]::new))),
              dice.maybe(this::retry),
              dice.payload());
      case 8 -> {
        List<Action.Branch> branches = new ArrayList<>();
        for (int i = 1 + dice.below(3); i > 0; i--) {
          branches.add(new Action.Branch(dice.expression(), actions(depth - 1)));
        }
        yield new Action.If(branches, actions(depth - 1));
      }
      default ->
          new Action.Foreach(
              dice.expression(), "item", dice.maybe(() -> "index"), actions(depth - 1));
    };
  }

  private Action send() {
    Operand target =
        dice.maybe(() ->
            dice.pick(
                Operand.literal("#_parent"),
                Operand.literal("#_child"),
                Operand.literal("#_internal"),
                Operand.literal("#_scxml_7"),
                Operand.literal("self"),
                Operand.expr("'#_scxml_' + ('r-' + '42')"),
                dice.named()));
    return new Action.Send(
        dice.named(),
        target,
        dice.maybe(dice::named),
        dice.maybe(dice::name),
        dice.maybe(() -> "a.id"),
        dice.maybe(dice::delay),
        dice.payload());
  }

  private Invoke invoke() {
    String id = dice.maybe(dice::name);
    Payload input = dice.payload();
    if (mode == Mode.STRICT) {
      return new Invoke(
          id, null, null, dice.named(), null, null, input, dice.chance(30), actions(1));
    }
    int source = dice.below(inlines > 0 ? 3 : 2);
    return new Invoke(
        id,
        dice.maybe(() -> "a.id"),
        dice.maybe(dice::named),
        source == 0 ? dice.named() : null,
        source == 2 ? RandomMachines.machine(dice, mode, 1 + dice.below(3), inlines - 1) : null,
        source == 1 ? dice.value() : null,
        input,
        dice.chance(30),
        actions(1));
  }

  List<Invariant> invariants() {
    List<Invariant> invariants = new ArrayList<>();
    for (int i = dice.below(4); i > 0; i--) {
      invariants.add(
          invariant(dice.pick("never-skip", "it is 5", "7") + i, dice.pick(Severity.values())));
    }
    return invariants;
  }

  private Invariant invariant(String name, Severity severity) {
    return switch (dice.below(8)) {
      case 0 -> new Invariant.Never(name, severity, fact());
      case 1 -> new Invariant.Apart(name, severity, List.of(dice.pick(ids), dice.pick(ids)));
      case 2 ->
          new Invariant.Always(name, severity, dice.expression(), dice.maybe(() -> dice.pick(ids)));
      case 3 -> new Invariant.Before(name, severity, fact(), fact());
      case 4 -> {
        Duration within = dice.maybe(() -> Duration.ofMinutes(5));
        yield new Invariant.LeadsTo(
            name,
            severity,
            fact(),
            dice.chance(50) ? List.of(fact()) : List.of(fact(), fact()),
            within,
            within == null ? null : dice.pick(ids));
      }
      case 5 ->
          new Invariant.Times(
              name, severity, fact(), dice.below(3), dice.pick(1, 3, Integer.MAX_VALUE));
      case 6 -> new Invariant.OneAtATime(name, severity, fact(), fact());
      default -> new Invariant.Frozen(name, severity, "a", dice.pick(ids));
    };
  }

  private Fact fact() {
    return switch (dice.below(4)) {
      case 0 -> new Fact.Enters(dice.pick(ids));
      case 1 -> new Fact.Moves(dice.pick(ids), dice.pick(ids));
      case 2 -> new Fact.Receives(dice.pick("go", "a.*", "*", "30"));
      default -> new Fact.Emits(dice.name(), dice.maybe(() -> "id"));
    };
  }
}
