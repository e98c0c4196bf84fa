package dev.signalbox.kernel;

import static dev.signalbox.kernel.machine.Operand.expr;
import static dev.signalbox.kernel.machine.Operand.literal;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random machines from a seed: every kind of state, trigger and action, sound by construction. */
final class RandomCharts {
  static final List<String> EVENTS = List.of("a", "a.b", "b", "c", "d");

  private final Random random;
  private final boolean flat;
  private final List<String> ids = new ArrayList<>();

  private RandomCharts(long seed, boolean flat) {
    this.random = new Random(seed);
    this.flat = flat;
  }

  static Chart nested(long seed) {
    return new RandomCharts(seed, false).chart();
  }

  static Chart flat(long seed) {
    return new RandomCharts(seed, true).chart();
  }

  private Chart chart() {
    State shape = shape(Machine.ROOT, flat ? 1 : 3, State.Kind.STATE);
    Machine.Mode mode = random.nextInt(4) == 0 ? Machine.Mode.SCXML : Machine.Mode.STRICT;
    Machine machine =
        new Machine(
            "random",
            1,
            mode,
            null,
            List.of(Field.of("n", Type.INT, literal(0L)), Field.of("m", Type.INT, literal(1L))),
            List.of(),
            filled(shape),
            random.nextInt(3) == 0 ? invariants() : List.of(),
            new Limits(50, 50, 50, 50));
    return Chart.compile(machine, new ScriptedExpressions());
  }

  private List<Invariant> invariants() {
    return List.of(
        new Invariant.Before(
            "before", Severity.FATAL, new Fact.Enters(anyId()), new Fact.Enters(anyId())),
        new Invariant.Times("times", Severity.WARN, new Fact.Receives("a"), 0, 2),
        new Invariant.OneAtATime(
            "one", Severity.ERROR, new Fact.Emits("r", "k"), new Fact.Receives("b")),
        new Invariant.LeadsTo(
            "leads",
            Severity.WARN,
            new Fact.Receives("c"),
            List.of(new Fact.Receives("d")),
            Duration.ofSeconds(5),
            anyId()));
  }

  private State shape(String id, int depth, State.Kind kind) {
    State.Builder state = State.named(id).kind(kind);
    int children = id.equals(Machine.ROOT) || kind == State.Kind.PARALLEL ? 2 : 0;
    children += depth > 0 ? random.nextInt(3) : 0;
    for (int i = 0; i < children; i++) {
      String child = (id.equals(Machine.ROOT) ? "s" : id) + "_" + i;
      ids.add(child);
      boolean inner = depth > 1;
      State.Kind childKind =
          inner && random.nextInt(3) == 0 ? State.Kind.PARALLEL : State.Kind.STATE;
      boolean ends = i > 0 && kind == State.Kind.STATE && random.nextInt(6) == 0;
      state.child(
          ends
              ? State.named(child).kind(State.Kind.FINAL).build()
              : shape(child, depth - 1, childKind));
    }
    return state.build();
  }

  private State filled(State shape) {
    State.Builder state = State.named(shape.id()).kind(shape.kind());
    shape.children().forEach(child -> state.child(filled(child)));
    boolean bare = shape.kind() == State.Kind.FINAL || shape.id().equals(Machine.ROOT);
    if (shape.isCompound() && !flat && !bare) {
      String history = shape.id() + "_h";
      State.Kind kind = random.nextBoolean() ? State.Kind.DEEP_HISTORY : State.Kind.SHALLOW_HISTORY;
      state.child(
          State.named(history)
              .kind(kind)
              .initial(Transition.to(shape.children().getFirst().id()))
              .build());
      state.initial(Transition.to(shape.children().getFirst().id()).doing(actions()));
    }
    if (bare) {
      return state.build();
    }
    int transitions = random.nextInt(4);
    for (int i = 0; i < transitions; i++) {
      state.transition(transition(shape));
    }
    if (random.nextInt(3) == 0) {
      state.onEntry(actions());
    }
    if (random.nextInt(4) == 0) {
      state.onExit(actions());
    }
    if (random.nextInt(8) == 0) {
      state.invoke(Invoke.machine(null, "child", Payload.NONE));
    }
    return state.build();
  }

  private Transition transition(State source) {
    Trigger trigger =
        switch (random.nextInt(8)) {
          case 0 ->
              new Trigger.After(
                  literal(Duration.ofSeconds(1 + random.nextInt(9))), null, random.nextBoolean());
          case 1 -> Trigger.on("*");
          case 2 -> random.nextBoolean() ? new Trigger.Always() : Trigger.on("a", "c");
          default -> Trigger.on(EVENTS.get(random.nextInt(EVENTS.size())));
        };
    boolean always = trigger instanceof Trigger.Always;
    Guard guard = always || random.nextInt(3) == 0 ? guard() : null;
    List<String> targets = random.nextInt(6) == 0 && !always ? List.of() : List.of(target(source));
    return new Transition(
        trigger,
        guard,
        targets,
        random.nextInt(4) == 0,
        random.nextBoolean() ? List.of() : actions(),
        null);
  }

  private String target(State source) {
    return !flat && source.isCompound() && random.nextInt(5) == 0 ? source.id() + "_h" : anyId();
  }

  private @Nullable Guard guard() {
    return Guard.of(
        switch (random.nextInt(4)) {
          case 0 -> "n < " + random.nextInt(4);
          case 1 -> "n == m";
          case 2 -> "In(" + anyId() + ")";
          default -> "event.x == 1";
        });
  }

  private List<Action> actions() {
    return switch (random.nextInt(7)) {
      case 0 -> List.of(new Action.Assign("n", expr("n + 1")));
      case 1 -> List.of(new Action.Raise(literal("d"), Payload.NONE));
      case 2 -> List.of(new Action.Assign("m", expr("m / n")));
      case 3 ->
          List.of(
              new Action.Emit("r", new Payload(List.of(Payload.Param.of("k", expr("n"))), null)));
      case 4 ->
          List.of(
              new Action.Send(literal("c"), null, null, "id", null, literal("2s"), Payload.NONE));
      case 5 -> List.of(new Action.Perform("work", "work", true, Payload.NONE));
      default ->
          List.of(
              new Action.Foreach(
                  expr("[1,2]"), "x", null, List.of(new Action.Assign("n", expr("n + x")))));
    };
  }

  private String anyId() {
    return ids.get(random.nextInt(ids.size()));
  }
}
