package dev.signalbox.definition;

import dev.signalbox.kernel.machine.Action;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Payload;
import dev.signalbox.kernel.machine.Retry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A list of actions, run in this order. */
public final class ActionsBuilder {
  private final List<Action> actions = new ArrayList<>();

  /** Gives a field the value of the expression. */
  public ActionsBuilder assign(String path, String expression) {
    return add(new Action.Assign(path, Operand.expr(expression)));
  }

  /** Gives a field the value as it is: a JSON value as {@link Literals} takes it. */
  public ActionsBuilder set(String path, @Nullable Object value) {
    return add(new Action.Assign(path, Literals.of(value)));
  }

  public ActionsBuilder raise(String event) {
    return raise(event, Payload.NONE);
  }

  public ActionsBuilder raise(String event, Payload data) {
    return add(new Action.Raise(Operand.literal(event), data));
  }

  /** Sends the instance itself an event after some time; the id is what {@code cancel} takes. */
  public ActionsBuilder sendLater(String event, String id, Duration delay) {
    return add(
        new Action.Send(
            Operand.literal(event), null, null, id, null, Operand.literal(delay), Payload.NONE));
  }

  public ActionsBuilder sendToParent(String event, Payload data) {
    return send(event, "#_parent", data);
  }

  /** Sends an event to the child with the invoke's id. */
  public ActionsBuilder sendToChild(String id, String event, Payload data) {
    return send(event, "#_" + id, data);
  }

  private ActionsBuilder send(String event, String target, Payload data) {
    return add(
        new Action.Send(
            Operand.literal(event), Operand.literal(target), null, null, null, null, data));
  }

  public ActionsBuilder cancel(String sendId) {
    return add(new Action.Cancel(Operand.literal(sendId)));
  }

  /** Adds a record of the kind to what the step emits. */
  public ActionsBuilder emit(String kind) {
    return emit(kind, Payload.NONE);
  }

  public ActionsBuilder emit(String kind, Payload data) {
    return add(new Action.Emit(kind, data));
  }

  /** Asks for an effect that must not be repeated; it replies under its own name. */
  public ActionsBuilder perform(String effect, Payload input) {
    return add(new Action.Perform(effect, effect, false, input));
  }

  /** Asks for an effect that may be repeated when it was cut off. */
  public ActionsBuilder performIdempotent(String effect, Payload input) {
    return add(new Action.Perform(effect, effect, true, input));
  }

  /** Asks for an effect that ends with the state: once that is left, it is not wanted any more. */
  public ActionsBuilder performDuring(String state, String effect, Payload input) {
    return add(new Action.Perform(effect, effect, false, state, input));
  }

  /** Asks for an effect that must not be repeated, and says how often it is tried. */
  public ActionsBuilder perform(String effect, Retry retry, Payload input) {
    return add(new Action.Perform(effect, effect, false, null, retry, input));
  }

  /** Asks for an effect that may be repeated, and says how often it is tried. */
  public ActionsBuilder performIdempotent(String effect, Retry retry, Payload input) {
    return add(new Action.Perform(effect, effect, true, null, retry, input));
  }

  public ActionsBuilder log(String expression) {
    return add(new Action.Log(null, Operand.expr(expression)));
  }

  public ActionsBuilder when(String condition, UnaryOperator<ActionsBuilder> then) {
    return when(condition, then, otherwise -> otherwise);
  }

  public ActionsBuilder when(
      String condition,
      UnaryOperator<ActionsBuilder> then,
      UnaryOperator<ActionsBuilder> otherwise) {
    Action.Branch branch =
        new Action.Branch(Operand.expr(condition), then.apply(new ActionsBuilder()).build());
    return add(new Action.If(List.of(branch), otherwise.apply(new ActionsBuilder()).build()));
  }

  /** Runs the body once for each item of the list, under the given name. */
  public ActionsBuilder forEach(
      String item, String listExpression, UnaryOperator<ActionsBuilder> body) {
    return add(
        new Action.Foreach(
            Operand.expr(listExpression), item, null, body.apply(new ActionsBuilder()).build()));
  }

  public ActionsBuilder add(Action action) {
    actions.add(action);
    return this;
  }

  List<Action> build() {
    return List.copyOf(actions);
  }
}
