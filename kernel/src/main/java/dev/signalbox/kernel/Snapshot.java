package dev.signalbox.kernel;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An instance between two steps.
 *
 * @param instance the instance's id
 * @param parent the id of the instance that invoked it, or null
 * @param done whether a final state of the machine was reached
 */
public record Snapshot(
    String instance,
    @Nullable String parent,
    Configuration configuration,
    Context context,
    boolean done,
    Memory memory) {

  /** This snapshot with every timer due later. */
  public Snapshot postponed(long millis) {
    if (millis == 0) {
      return this;
    }
    List<Timer> later =
        memory.timers().stream()
            .map(t -> new Timer(t.id(), t.sendId(), t.state(), t.due() + millis, t.message()))
            .toList();
    return new Snapshot(
        instance,
        parent,
        configuration,
        context,
        done,
        new Memory(
            memory.history(),
            later,
            memory.remaining(),
            memory.children(),
            memory.monitors(),
            memory.bound(),
            memory.ids(),
            memory.output()));
  }

  /**
   * What an instance remembers beside its states and its data; most steps leave it alone.
   *
   * @param history for each history state, the states it will enter
   * @param timers pending, in the order they were scheduled
   * @param remaining for each cumulative deadline that was left, the milliseconds it still has
   * @param children alive, in the order they were invoked
   * @param monitors the state of each invariant's monitor that is not at its beginning
   * @param bound states whose late-bound data has been given its value
   * @param ids how many ids have been generated
   * @param output the data of the final state that was reached
   */
  public record Memory(
      Map<String, List<String>> history,
      List<Timer> timers,
      Map<String, Long> remaining,
      List<ChildChange.Invocation> children,
      Map<String, Object> monitors,
      List<String> bound,
      long ids,
      @Nullable Object output) {

    public static final Memory EMPTY =
        new Memory(Map.of(), List.of(), Map.of(), List.of(), Map.of(), List.of(), 0, null);
  }
}
