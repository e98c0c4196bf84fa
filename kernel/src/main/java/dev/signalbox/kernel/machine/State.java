package dev.signalbox.kernel.machine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node of the statechart.
 *
 * @param initial the default entry of a compound state, or the default of a history state
 * @param data fields that get their values when the state is first entered (SCXML's late binding);
 *     all of them live in the one context
 * @param entry blocks of actions run on entry; an error ends its own block only
 * @param done the data of the done event that entering this final state causes
 * @param tools the only tools that may be called while this state is active; null means no rule
 * @param waits why this state may wait for ever, where that is intended
 * @param note prose for people
 */
public record State(
    String id,
    Kind kind,
    @Nullable Transition initial,
    List<State> children,
    List<Transition> transitions,
    List<List<Action>> entry,
    List<List<Action>> exit,
    List<Invoke> invokes,
    List<Field> data,
    @Nullable Payload done,
    @Nullable List<String> tools,
    @Nullable String waits,
    @Nullable String note) {

  public State {
    children = List.copyOf(children);
    transitions = List.copyOf(transitions);
    entry = entry.stream().map(List::copyOf).toList();
    exit = exit.stream().map(List::copyOf).toList();
    invokes = List.copyOf(invokes);
    data = List.copyOf(data);
    tools = tools == null ? null : List.copyOf(tools);
  }

  /** What a node is. */
  public enum Kind {
    /** A state without children, or a compound state when it has some. */
    STATE,
    PARALLEL,
    FINAL,
    SHALLOW_HISTORY,
    DEEP_HISTORY,
    /** A branching point of a drawing: left at once by the first transition that may be taken. */
    CHOICE,
    /** A point of a drawing where one path becomes several. */
    FORK,
    /** A point of a drawing where several paths become one. */
    JOIN;

    public boolean isHistory() {
      return this == SHALLOW_HISTORY || this == DEEP_HISTORY;
    }

    public boolean isPoint() {
      return this == CHOICE || this == FORK || this == JOIN;
    }
  }

  public boolean isCompound() {
    return kind == Kind.STATE && !children.isEmpty();
  }

  public static Builder named(String id) {
    return new Builder(id);
  }

  public Builder toBuilder() {
    Builder b = new Builder(id).kind(kind).initial(initial).done(done).tools(tools);
    b.children.addAll(children);
    b.transitions.addAll(transitions);
    b.entry.addAll(entry);
    b.exit.addAll(exit);
    b.invokes.addAll(invokes);
    b.data.addAll(data);
    return b.waits(waits).note(note);
  }

  /** Collects the parts of a state. */
  public static final class Builder {
    private final String id;
    private Kind kind = Kind.STATE;
    private @Nullable Transition initial;
    private final List<State> children = new ArrayList<>();
    private final List<Transition> transitions = new ArrayList<>();
    private final List<List<Action>> entry = new ArrayList<>();
    private final List<List<Action>> exit = new ArrayList<>();
    private final List<Invoke> invokes = new ArrayList<>();
    private final List<Field> data = new ArrayList<>();
    private @Nullable Payload done;
    private @Nullable List<String> tools;
    private @Nullable String waits;
    private @Nullable String note;

    private Builder(String id) {
      this.id = id;
    }

    public Builder kind(Kind kind) {
      this.kind = kind;
      return this;
    }

    public Builder initial(@Nullable Transition initial) {
      this.initial = initial;
      return this;
    }

    public Builder child(State child) {
      children.add(child);
      return this;
    }

    public Builder transition(Transition transition) {
      transitions.add(transition);
      return this;
    }

    public Builder onEntry(List<Action> block) {
      entry.add(block);
      return this;
    }

    public Builder onExit(List<Action> block) {
      exit.add(block);
      return this;
    }

    public Builder invoke(Invoke invoke) {
      invokes.add(invoke);
      return this;
    }

    public Builder field(Field field) {
      data.add(field);
      return this;
    }

    public Builder done(@Nullable Payload done) {
      this.done = done;
      return this;
    }

    public Builder tools(@Nullable List<String> tools) {
      this.tools = tools;
      return this;
    }

    public Builder waits(@Nullable String waits) {
      this.waits = waits;
      return this;
    }

    public Builder note(@Nullable String note) {
      this.note = note;
      return this;
    }

    public State build() {
      return new State(
          id,
          kind,
          initial,
          children,
          transitions,
          entry,
          exit,
          invokes,
          data,
          done,
          tools,
          waits,
          note);
    }
  }
}
