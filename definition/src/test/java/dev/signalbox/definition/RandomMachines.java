package dev.signalbox.definition;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Machine.Mode;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/**
 * Machines that use everything the model has, for properties of readers and writers. They are sound
 * in form: names are names, targets exist, keys that exclude one another are apart. They need not
 * make sense when run. A failing one shrinks to fewer states.
 */
public final class RandomMachines {
  private RandomMachines() {}

  public static Arbitrary<Machine> any() {
    return of(Mode.STRICT, Mode.SCXML);
  }

  public static Arbitrary<Machine> strict() {
    return of(Mode.STRICT);
  }

  public static Arbitrary<Machine> scxml() {
    return of(Mode.SCXML);
  }

  /** One machine, always the same for the same seed. */
  public static Machine sample(long seed) {
    Dice dice = new Dice(new Random(seed));
    return machine(dice, dice.pick(Mode.values()), 1 + dice.below(8), 1);
  }

  private static Arbitrary<Machine> of(Mode... modes) {
    return Combinators.combine(
            Arbitraries.integers().between(1, 14),
            Arbitraries.of(modes),
            Arbitraries.longs().withoutEdgeCases().dontShrink())
        .as((states, mode, seed) -> machine(new Dice(new Random(seed)), mode, states, 1));
  }

  static Machine machine(Dice dice, Mode mode, int states, int inlines) {
    RandomStates builder = new RandomStates(dice, mode, states, inlines);
    return new Machine(
        dice.pick("m", "run", "approval.v2", "a-b_c"),
        dice.chance(50) ? 1 : 1 + dice.below(1000),
        mode,
        dice.maybe(dice::text),
        fields(dice, dice.below(5)),
        events(dice),
        builder.root(),
        builder.invariants(),
        dice.chance(70) ? Limits.DEFAULT : new Limits(1 + dice.below(50), 7, 10_000, 3));
  }

  static List<Field> fields(Dice dice, int count) {
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Operand initial =
          switch (dice.below(3)) {
            case 0 -> null;
            case 1 -> Operand.literal(dice.json(2));
            default -> dice.expression();
          };
      fields.add(
          new Field(
              dice.pick("a", "tools", "x_y", "5", "true", "größe") + i,
              type(dice, 2),
              initial,
              dice.chance(20),
              dice.chance(20),
              dice.chance(20)));
    }
    return fields;
  }

  static Type type(Dice dice, int depth) {
    Type.Kind kind = dice.pick(Type.Kind.values());
    Type item =
        (kind == Type.Kind.LIST || kind == Type.Kind.MAP) && depth > 0 && dice.chance(60)
            ? type(dice, depth - 1)
            : null;
    Map<String, Type> fields = new LinkedHashMap<>();
    if (kind == Type.Kind.OBJECT && depth > 0) {
      for (int i = dice.below(3); i > 0; i--) {
        fields.put(dice.pick("type", "id", "content", "0", "a b") + i, type(dice, depth - 1));
      }
    }
    List<Object> values = new ArrayList<>();
    for (int i = dice.chance(20) ? 3 : 0; i > 0; i--) {
      Object value = dice.json(1);
      if (value != null) {
        values.add(value);
      }
    }
    return new Type(kind, item, fields, values, dice.chance(20));
  }

  private static List<EventType> events(Dice dice) {
    List<EventType> events = new ArrayList<>();
    for (int i = 0; i < dice.below(4); i++) {
      events.add(
          new EventType(
              dice.pick("go", "plan.ready", "5m", "null") + i,
              dice.maybe(dice::text),
              dice.maybe(() -> type(dice, 2)),
              dice.chance(50) ? List.of() : List.of("planner", dice.pick("ops", "5", "a b"))));
    }
    return events;
  }
}
