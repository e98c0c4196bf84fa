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
  private final TreeSet<Double> numbers = new TreeSet<>();

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

  /** The nearest threshold that is not above the number, or minus infinity. */
  double below(double number) {
    Double found = numbers.floor(number);
    return found == null ? Double.NEGATIVE_INFINITY : found;
  }

  /** The nearest threshold that is not below the number, or infinity. */
  double above(double number) {
    Double found = numbers.ceiling(number);
    return found == null ? Double.POSITIVE_INFINITY : found;
  }

  private void note(Formula formula) {
    switch (formula) {
      case Formula.And(List<Formula> parts) -> parts.forEach(this::note);
      case Formula.Or(List<Formula> parts) -> parts.forEach(this::note);
      case Formula.Compare(Term _, Formula.Sign _, Object constant) -> note(constant);
      case Formula.OneOf(Term _, List<@Nullable Object> constants, boolean _) ->
          constants.forEach(this::note);
      case Formula.Truth _, Formula.Holds _, Formula.Same _ -> {}
    }
  }

  private void note(@Nullable Object value) {
    switch (value) {
      case Number n when Math.abs(n.doubleValue()) < 10_000 -> {
        double floor = Math.floor(n.doubleValue());
        for (double d = floor - 1; d <= floor + 2; d++) {
          numbers.add(d);
        }
      }
      case List<?> list -> list.forEach(this::note);
      case Map<?, ?> map -> map.values().forEach(this::note);
      case null, default -> {}
    }
  }
}
