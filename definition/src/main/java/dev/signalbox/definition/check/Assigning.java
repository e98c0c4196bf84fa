package dev.signalbox.definition.check;

import dev.signalbox.definition.expression.Unknown;
import dev.signalbox.kernel.Context;
import dev.signalbox.kernel.EvaluationException;
import dev.signalbox.kernel.Expression;
import dev.signalbox.kernel.Scope;
import dev.signalbox.kernel.machine.Operand;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An assignment: tells the run what it no longer knows, and what it knows instead. */
final class Assigning implements Expression {
  private final AbstractMachine.Assignment assignment;
  private final @Nullable Valued value;
  private final @Nullable List<String> names;
  private final Judgement judgement;
  private final Knowledge knowledge;
  private final Consumer<String> blurred;
  private final Term field;
  private final Term size;

  /**
   * @param value null for one that is written out
   * @param field that gets it, as conditions name it
   * @param names those that the machine writes, where only who the value names matters; else null
   * @param blurred takes the field where it gets an unknown value
   */
  Assigning(
      AbstractMachine.Assignment assignment,
      @Nullable Valued value,
      Term field,
      @Nullable List<String> names,
      Judgement judgement,
      Consumer<String> blurred) {
    this.assignment = assignment;
    this.value = value;
    this.names = names;
    this.judgement = judgement;
    this.knowledge = judgement.knowledge();
    this.blurred = blurred;
    this.field = field;
    this.size = field.length();
  }

  @Override
  public @Nullable Object evaluate(Scope scope) {
    String name = assignment.field();
    Valued.Resolved resolved = value == null ? null : value.resolve(scope);
    Object result = resolved == null ? literal() : resolved.value();
    boolean whole = assignment.location().equals(name);
    if (result == Unknown.VALUE && whole && names != null) {
      result = judgement.individual(resolved == null ? null : resolved.side().term(), names, scope);
    }
    if (!whole) {
      result = placed(scope.context(), result);
    }
    Domain domain = null;
    Domain length = null;
    if (result == Unknown.VALUE && whole && resolved != null) {
      Valued side = resolved.side();
      Term copied = side.term();
      if (copied != null && copied.isPath()) {
        domain = knowledge.domain(copied, scope);
        length = knowledge.domain(copied.length(), scope);
      } else if (side.linear() != null && knowledge.isWhole(side.linear(), scope)) {
        domain = knowledge.domain(side.linear(), scope);
      } else if (side.change() != null) {
        domain = side.change().domain();
      } else if (side.growsOnly(field)) {
        length = knowledge.domain(size, scope).plus(side.size());
      } else if (side.size() > 0) {
        length = Domain.between(side.size(), Long.MAX_VALUE);
      }
    }
    if (Knowledge.hasUnknown(result) && !copiesItself()) {
      blurred.accept(name);
    }
    if (!copiesItself()) {
      Linear linear = resolved == null || !whole ? null : resolved.side().linear();
      if (linear != null && knowledge.isWhole(linear, scope)) {
        knowledge.assign(field, linear, scope);
      } else {
        Set<Term> absent = resolved == null || !whole ? Set.of() : resolved.side().absent(field);
        if (resolved != null && whole && resolved.side().growsOnly(field)) {
          knowledge.lengthen(field, size, resolved.side().size(), scope);
        } else {
          knowledge.forget(name);
        }
        absent.forEach(t -> knowledge.learn(t, Domain.exactly(false)));
      }
    }
    if (domain != null) {
      knowledge.learn(field, domain);
    }
    if (length != null && !length.equals(Domain.SIZE)) {
      knowledge.learn(size, length);
    }
    return result;
  }

  private boolean copiesItself() {
    return value != null && field.equals(value.term());
  }

  private @Nullable Object literal() {
    return assignment.value() instanceof Operand.Literal(Object literal) ? literal : null;
  }

  /** The field's value with the part at the path changed, as the kernel would. */
  private @Nullable Object placed(Context context, @Nullable Object part) {
    String[] path = assignment.location().split("\\.", -1);
    int slot = context.layout().index(path[0]);
    return placed(slot < 0 ? Context.ABSENT : context.slot(slot), path, 1, part);
  }

  private static @Nullable Object placed(
      @Nullable Object now, String[] path, int depth, @Nullable Object part) {
    if (depth == path.length) {
      return part;
    }
    if (now == Unknown.VALUE) {
      return Unknown.VALUE;
    }
    if (!(now instanceof Map<?, ?> map)) {
      throw new EvaluationException("expected a map to change a part of");
    }
    Map<Object, @Nullable Object> copy = new LinkedHashMap<>(map);
    copy.put(path[depth], placed(map.get(path[depth]), path, depth + 1, part));
    return Collections.unmodifiableMap(copy);
  }
}
