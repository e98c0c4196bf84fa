package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Guard;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A transition of a {@link StateBuilder}. Its actions run in the order they are given here. */
public final class TransitionBuilder {
  private final Trigger trigger;
  private final ActionsBuilder actions = new ActionsBuilder();
  private @Nullable Guard guard;
  private List<String> targets = List.of();
  private boolean internal;
  private @Nullable String label;

  TransitionBuilder(Trigger trigger) {
    this.trigger = trigger;
  }

  /** The target; several are entered together, in parallel regions. */
  public TransitionBuilder to(String... states) {
    targets = List.of(states);
    return this;
  }

  public TransitionBuilder when(String condition) {
    guard = Guard.of(condition);
    return this;
  }

  /** A condition and what people call it. */
  public TransitionBuilder when(String guardName, String condition) {
    guard = new Guard(guardName, Operand.expr(condition));
    return this;
  }

  /** Gives a field the value of the expression. */
  public TransitionBuilder assign(String path, String expression) {
    actions.assign(path, expression);
    return this;
  }

  /** Adds a record of the kind to what the step emits. */
  public TransitionBuilder emit(String kind) {
    actions.emit(kind);
    return this;
  }

  public TransitionBuilder actions(Consumer<ActionsBuilder> more) {
    more.accept(actions);
    return this;
  }

  /** A target inside the source does not leave the source. */
  public TransitionBuilder internal() {
    internal = true;
    return this;
  }

  /** The prose it came from. */
  public TransitionBuilder label(String prose) {
    label = prose;
    return this;
  }

  Transition build() {
    return new Transition(trigger, guard, targets, internal, actions.build(), label);
  }
}
