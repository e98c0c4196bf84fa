package dev.signalbox.definition;

import dev.signalbox.kernel.machine.EventType;
import dev.signalbox.kernel.machine.Fact;
import dev.signalbox.kernel.machine.Field;
import dev.signalbox.kernel.machine.Invariant;
import dev.signalbox.kernel.machine.Invariant.Severity;
import dev.signalbox.kernel.machine.Limits;
import dev.signalbox.kernel.machine.Machine;
import dev.signalbox.kernel.machine.Operand;
import dev.signalbox.kernel.machine.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A machine written in Java; the same model as the YAML of docs/machines.md.
 *
 * <pre>{@code
 * Machine door =
 *     MachineBuilder.machine("door")
 *         .state("OPEN", s -> s.on("close", "CLOSED").after(Duration.ofMinutes(5), "CLOSED"))
 *         .state("CLOSED", s -> s.on("open", t -> t.to("OPEN").when("'key' in actor.roles")))
 *         .build();
 * }</pre>
 *
 * <p>Texts that YAML takes for expressions are expressions here. Nothing is checked: {@code build}
 * gives what was said, and the checks for machines from any source apply to it.
 */
public final class MachineBuilder {
  private final String name;
  private final StateBuilder root = new StateBuilder(Machine.ROOT);
  private final List<Field> context = new ArrayList<>();
  private final List<EventType> events = new ArrayList<>();
  private final List<Invariant> invariants = new ArrayList<>();
  private int version = 1;
  private Machine.Mode mode = Machine.Mode.STRICT;
  private @Nullable String description;
  private Limits limits = Limits.DEFAULT;

  private MachineBuilder(String name) {
    this.name = name;
  }

  public static MachineBuilder machine(String name) {
    return new MachineBuilder(name);
  }

  public MachineBuilder version(int number) {
    version = number;
    return this;
  }

  public MachineBuilder mode(Machine.Mode newMode) {
    mode = newMode;
    return this;
  }

  public MachineBuilder description(String text) {
    description = text;
    return this;
  }

  public MachineBuilder limits(Limits newLimits) {
    limits = newLimits;
    return this;
  }

  /** A context field without a value at the start. */
  public MachineBuilder context(String field, Type type) {
    return context(Field.of(field, type, null));
  }

  /** A context field that starts with the value: a JSON value as {@link Literals} takes it. */
  public MachineBuilder context(String field, Type type, @Nullable Object initial) {
    return context(Field.of(field, type, Literals.of(initial)));
  }

  /** A context field that starts with the value of the expression. */
  public MachineBuilder computed(String field, Type type, String expression) {
    return context(Field.of(field, type, Operand.expr(expression)));
  }

  public MachineBuilder context(Field field) {
    context.add(field);
    return this;
  }

  /** What is known about an event; the roles say who may send it. */
  public MachineBuilder event(String event, @Nullable Type data, String... roles) {
    return event(new EventType(event, null, data, List.of(roles)));
  }

  public MachineBuilder event(EventType event) {
    events.add(event);
    return this;
  }

  /** The states to start in; without this, the first one. */
  public MachineBuilder initial(String... states) {
    root.initial(states);
    return this;
  }

  public MachineBuilder state(String id, UnaryOperator<StateBuilder> parts) {
    root.state(id, parts);
    return this;
  }

  public MachineBuilder state(String id) {
    root.state(id);
    return this;
  }

  public MachineBuilder finalState(String id) {
    root.finalState(id);
    return this;
  }

  /** What belongs to no single state, such as transitions that every state has. */
  public MachineBuilder everywhere(Consumer<StateBuilder> parts) {
    parts.accept(root);
    return this;
  }

  public MachineBuilder invariant(Invariant invariant) {
    invariants.add(invariant);
    return this;
  }

  /** No microstep leaves the one state and enters the other. */
  public MachineBuilder never(String from, String to) {
    return invariant(
        new Invariant.Never(
            "never-" + from + "-to-" + to, Severity.FATAL, new Fact.Moves(from, to)));
  }

  /** The one state is entered only after the other has been. */
  public MachineBuilder before(String invariantName, String reaching, String mustVisit) {
    return invariant(
        new Invariant.Before(
            invariantName, Severity.FATAL, new Fact.Enters(reaching), new Fact.Enters(mustVisit)));
  }

  /** The condition holds after every step. */
  public MachineBuilder always(String invariantName, String condition) {
    return invariant(
        new Invariant.Always(invariantName, Severity.FATAL, Operand.expr(condition), null));
  }

  public Machine build() {
    return new Machine(
        name, version, mode, description, context, events, root.build(), invariants, limits);
  }
}
