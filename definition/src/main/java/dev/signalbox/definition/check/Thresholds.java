package dev.signalbox.definition.check;

import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The whole numbers at which a machine's conditions change their answer, and their neighbours. */
final class Thresholds {
  private static final double LARGEST = 1e15;

  private final TreeSet<Long> numbers = new TreeSet<>();

  Thresholds(Machine machine, Content content, Syntax syntax) {
    note(0L);
    for (Field field : machine.context()) {
      if (field.initial() instanceof Operand.Literal(Object value)) {
        note(value);
      }
    }
    for (Content.Use use : content.uses()) {
      if (use.role().isCondition()) {
        syntax.parse(use.expr().text()).map(Formula::of).ifPresent(this::note);
      }
    }
  }

  /** The nearest threshold that is not above the number; the least long when there is none. */
  long below(long number) {
    Long found = numbers.floor(number);
    return found == null ? Long.MIN_VALUE : found;
  }

  /** The nearest threshold that is not below the number; the greatest long when there is none. */
  long above(long number) {
    Long found = numbers.ceiling(number);
    return found == null ? Long.MAX_VALUE : found;
  }

  private void note(Formula formula) {
    switch (formula) {
      case Formula.And(List<Formula> parts) -> parts.forEach(this::note);
      case Formula.Or(List<Formula> parts) -> parts.forEach(this::note);
      case Formula.Compare(Term _, Formula.Sign _, Object constant) -> note(constant);
      case Formula.OneOf(Term _, List<@Nullable Object> constants, boolean _) ->
          constants.forEach(this::note);
      case Formula.Sum sum -> {
        note(sum.constant());
        note(sum.otherwise());
      }
      case Formula.Truth _, Formula.Holds _, Formula.Same _ -> {}
    }
  }

  private void note(@Nullable Object value) {
    switch (value) {
      case Number n when Math.abs(n.doubleValue()) < LARGEST -> {
        long floor = (long) Math.floor(n.doubleValue());
        for (long number = floor - 1; number <= floor + 2; number++) {
          numbers.add(number);
          numbers.add(-number);
        }
      }
      case List<?> list -> list.forEach(this::note);
      case Map<?, ?> map -> map.values().forEach(this::note);
      case null, default -> {}
    }
  }
}
