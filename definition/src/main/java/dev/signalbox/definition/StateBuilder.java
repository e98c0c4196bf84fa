package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Invoke;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.State;
import dev.signalbox.kernel.machine.State.Kind;
import dev.signalbox.kernel.machine.Transition;
import dev.signalbox.kernel.machine.Trigger;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A state of a {@link MachineBuilder}. Transitions are tried in the order they are given here. */
public final class StateBuilder {
  private final State.Builder state;

  StateBuilder(String id) {
    state = State.named(id);
  }

  /** Goes to the target on the event: one name, or descriptors separated by spaces. */
  public StateBuilder on(String event, String target) {
    return on(event, t -> t.to(target));
  }

  public StateBuilder on(String event, UnaryOperator<TransitionBuilder> parts) {
    return transition(new Trigger.On(List.of(event.strip().split("\\s+"))), parts);
  }

  /** A transition taken as soon as its guard holds. */
  public StateBuilder always(UnaryOperator<TransitionBuilder> parts) {
    return transition(new Trigger.Always(), parts);
  }

  public StateBuilder after(Duration delay, String target) {
    return after(delay, t -> t.to(target));
  }

  public StateBuilder after(Duration delay, UnaryOperator<TransitionBuilder> parts) {
    return transition(new Trigger.After(Operand.literal(delay), null, false), parts);
  }

  /** As {@code after}, but time spent in the state earlier counts. */
  public StateBuilder afterInAll(Duration delay, UnaryOperator<TransitionBuilder> parts) {
    return transition(new Trigger.After(Operand.literal(delay), null, true), parts);
  }

  /** A timer that carries the event name, after an expression for whole milliseconds. */
  public StateBuilder after(String event, String millis, UnaryOperator<TransitionBuilder> parts) {
    return transition(new Trigger.After(Operand.expr(millis), event, false), parts);
  }

  private StateBuilder transition(Trigger trigger, UnaryOperator<TransitionBuilder> parts) {
    return transition(parts.apply(new TransitionBuilder(trigger)).build());
  }

  public StateBuilder transition(Transition transition) {
    state.transition(transition);
    return this;
  }

  /** A block of actions on entry; called again, another block. */
  public StateBuilder entry(UnaryOperator<ActionsBuilder> actions) {
    state.onEntry(actions.apply(new ActionsBuilder()).build());
    return this;
  }

  /** A block of actions on exit; called again, another block. */
  public StateBuilder exit(UnaryOperator<ActionsBuilder> actions) {
    state.onExit(actions.apply(new ActionsBuilder()).build());
    return this;
  }

  public StateBuilder state(String id, UnaryOperator<StateBuilder> parts) {
    state.child(parts.apply(new StateBuilder(id)).build());
    return this;
  }

  public StateBuilder state(String id) {
    return state(id, s -> s);
  }

  public StateBuilder finalState(String id) {
    state.child(State.named(id).kind(Kind.FINAL).build());
    return this;
  }

  /** A final state whose done event carries the data. */
  public StateBuilder finalState(String id, Payload done) {
    state.child(State.named(id).kind(Kind.FINAL).done(done).build());
    return this;
  }

  /** A history state and where it leads the first time. */
  public StateBuilder history(String id, boolean deep, String byDefault) {
    state.child(
        State.named(id)
            .kind(deep ? Kind.DEEP_HISTORY : Kind.SHALLOW_HISTORY)
            .initial(Transition.to(byDefault))
            .build());
    return this;
  }

  /** The children to start in; without this, the first one. */
  public StateBuilder initial(String... states) {
    state.initial(Transition.to(List.of(states)));
    return this;
  }

  /** All children are active together. */
  public StateBuilder parallel() {
    state.kind(Kind.PARALLEL);
    return this;
  }

  /** Runs another machine while this state is active. */
  public StateBuilder invoke(String id, String machine, Payload input) {
    return invoke(Invoke.machine(id, machine, input));
  }

  public StateBuilder invoke(Invoke invoke) {
    state.invoke(invoke);
    return this;
  }

  /** The only tools that may be called in this state; none when there is none here. */
  public StateBuilder tools(String... tools) {
    state.tools(List.of(tools));
    return this;
  }

  /** Why the state may wait for ever. */
  public StateBuilder waits(String why) {
    state.waits(why);
    return this;
  }

  public StateBuilder note(String prose) {
    state.note(prose);
    return this;
  }

  State build() {
    return state.build();
  }
}
