package dev.signalbox.definition.scxml;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import dev.signalbox.kernel.machine.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Machines that use every part of the model with texts that are hard on XML. They need not be
 * sound: a writer keeps what it is given.
 */
final class OddMachines {
  private static final List<String> TEXTS =
      List.of(
          "a",
          "b.c",
          "two words",
          "",
          " ",
          "<tag a=\"1\">",
          "&amp;",
          "'",
          "tab\tnew\nline\r\n",
          "[1]",
          "{\"a\":1}",
          "\u00e9\u4e2d\ud83d\ude80",
          "null",
          "12",
          "]]>",
          "\u0001",
          "#_parent");

  private final SplittableRandom random;
  private int ids;

  OddMachines(long seed) {
    random = new SplittableRandom(seed);
  }

  Machine machine(int depth) {
    State.Builder root = State.named(Machine.ROOT).initial(maybe(() -> transition(1)));
    if (chance(5)) {
      root.kind(Kind.PARALLEL);
    }
    if (chance(5)) {
      fill(root, 1);
    }
    times(3, () -> root.child(state(depth)));
    return new Machine(
        name(),
        1 + random.nextInt(3),
        pick(Machine.Mode.values()),
        maybe(this::text),
        list(3, this::field),
        list(3, () -> new EventType(text(), maybe(this::text), maybe(() -> type(2)), words())),
        root.build(),
        list(4, this::invariant),
        chance(2) ? Limits.DEFAULT : new Limits(1, 2, 3, 4));
  }

  private State state(int depth) {
    State.Builder state = State.named(text() + ++ids).kind(pick(Kind.values()));
    fill(state, depth);
    if (depth > 0) {
      times(3, () -> state.child(state(depth - 1)));
    }
    return state.build();
  }

  private void fill(State.Builder state, int depth) {
    state.initial(maybe(() -> transition(1)));
    if (!state.build().kind().isHistory()) {
      times(3, () -> state.transition(transition(depth)));
    }
    times(2, () -> state.onEntry(actions(depth)));
    times(2, () -> state.onExit(actions(depth)));
    times(2, () -> state.invoke(invoke(depth)));
    times(2, () -> state.field(field()));
    state.done(maybe(this::payload));
    state.tools(maybe(this::words)).waits(maybe(this::text)).note(maybe(this::text));
  }

  private Transition transition(int depth) {
    return new Transition(
        trigger(),
        maybe(() -> new Guard(maybe(this::text), expr())),
        words(),
        chance(2),
        actions(depth),
        maybe(this::text));
  }

  private Trigger trigger() {
    return switch (random.nextInt(3)) {
      case 0 -> new Trigger.Always();
      case 1 -> new Trigger.On(words());
      default ->
          new Trigger.After(
              chance(2) ? expr() : Operand.literal(duration()), maybe(this::text), chance(2));
    };
  }

  private Invoke invoke(int depth) {
    boolean inline = depth > 0 && chance(3);
    return new Invoke(
        maybe(this::text),
        maybe(this::text),
        maybe(this::operand),
        maybe(this::operand),
        inline ? machine(depth - 1) : null,
        inline ? null : maybe(this::operand),
        payload(),
        chance(2),
        actions(0));
  }

  private List<Action> actions(int depth) {
    return list(3, () -> action(depth));
  }

  private Retry retry() {
    return new Retry(
        1 + random.nextInt(20),
        duration(),
        1 + random.nextInt(5),
        duration(),
        Stream.of(Retry.Failure.values()).filter(_ -> chance(2)).toList());
  }

  private Action action(int depth) {
    return switch (random.nextInt(depth > 0 ? 10 : 8)) {
      case 0 -> new Action.Assign(text(), operand());
      case 1 -> new Action.Raise(operand(), payload());
      case 2 ->
          new Action.Send(
              maybe(this::operand),
              maybe(this::operand),
              maybe(this::operand),
              maybe(this::text),
              maybe(this::text),
              chance(2) ? maybe(this::operand) : Operand.literal(duration()),
              payload());
      case 3 -> new Action.Cancel(operand());
      case 4 -> new Action.Log(maybe(this::text), maybe(this::operand));
      case 5 -> new Action.Emit(text(), payload());
      case 6, 7 ->
          new Action.Perform(
              text(), text(), chance(2), maybe(this::text), maybe(this::retry), payload());
      case 8 -> {
        List<Action.Branch> branches = new ArrayList<>();
        branches.add(new Action.Branch(expr(), actions(depth - 1)));
        times(2, () -> branches.add(new Action.Branch(expr(), actions(depth - 1))));
        yield new Action.If(branches, actions(depth - 1));
      }
      default -> new Action.Foreach(expr(), text(), maybe(this::text), actions(depth - 1));
    };
  }

  private Payload payload() {
    return chance(3)
        ? new Payload(List.of(), operand())
        : new Payload(
            list(
                3,
                () ->
                    chance(3)
                        ? new Payload.Param(text(), Operand.literal(text()), true)
                        : Payload.Param.of(text(), operand())),
            null);
  }

  private Field field() {
    return new Field(text(), type(2), maybe(this::operand), chance(3), chance(3), chance(3));
  }

  private Type type(int depth) {
    Map<String, Type> fields = new LinkedHashMap<>();
    if (depth > 0) {
      times(3, () -> fields.put(text(), type(depth - 1)));
    }
    return new Type(
        pick(Type.Kind.values()),
        depth > 0 ? maybe(() -> type(depth - 1)) : null,
        fields,
        list(2, () -> chance(2) ? text() : (Object) random.nextLong()),
        chance(3));
  }

  private Invariant invariant() {
    String name = text();
    Severity severity = pick(Severity.values());
    return switch (random.nextInt(8)) {
      case 0 -> new Invariant.Never(name, severity, fact());
      case 1 -> new Invariant.Apart(name, severity, words());
      case 2 -> new Invariant.Always(name, severity, expr(), maybe(this::text));
      case 3 -> new Invariant.Before(name, severity, fact(), fact());
      case 4 ->
          new Invariant.LeadsTo(
              name,
              severity,
              fact(),
              list(3, this::fact),
              maybe(this::duration),
              maybe(this::text));
      case 5 -> new Invariant.Times(name, severity, fact(), random.nextInt(3), random.nextInt());
      case 6 -> new Invariant.OneAtATime(name, severity, fact(), fact());
      default -> new Invariant.Frozen(name, severity, text(), text());
    };
  }

  private Fact fact() {
    return switch (random.nextInt(4)) {
      case 0 -> new Fact.Enters(text());
      case 1 -> new Fact.Moves(text(), text());
      case 2 -> new Fact.Receives(text());
      default -> new Fact.Emits(text(), maybe(this::text));
    };
  }

  private Operand operand() {
    return chance(2) ? expr() : Operand.literal(value(2));
  }

  private Operand.Expr expr() {
    return Operand.expr(text());
  }

  private @Nullable Object value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextLong();
      case 3 -> random.nextDouble() * 1e9;
      case 4, 5 -> text();
      case 6 -> Arrays.asList(value(depth - 1), value(depth - 1));
      default -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put(text(), value(depth - 1));
        yield map;
      }
    };
  }

  private Duration duration() {
    return Duration.ofMillis(random.nextLong(100_000_000));
  }

  private List<String> words() {
    return list(3, this::text);
  }

  private String name() {
    return "m" + ++ids;
  }

  private String text() {
    return TEXTS.get(random.nextInt(TEXTS.size()));
  }

  private <T> @Nullable T maybe(Supplier<T> supplier) {
    return chance(2) ? supplier.get() : null;
  }

  private boolean chance(int in) {
    return random.nextInt(in) == 0;
  }

  private <T> T pick(T[] values) {
    return values[random.nextInt(values.length)];
  }

  private void times(int most, Runnable action) {
    int count = random.nextInt(most);
    for (int i = 0; i < count; i++) {
      action.run();
    }
  }

  private <T> List<T> list(int most, Supplier<? extends T> supplier) {
    List<T> list = new ArrayList<>();
    times(most, () -> list.add(supplier.get()));
    return list;
  }
}
