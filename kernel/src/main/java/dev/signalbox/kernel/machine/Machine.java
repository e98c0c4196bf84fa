package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A versioned, immutable definition of a statechart.
 *
 * @param root the compound state that contains all others; its id is never a target
 * @param context the declared data of an instance, in order
 * @param events what may be sent, where the definition says more than the name
 */
public record Machine(
    String name,
    int version,
    Mode mode,
    @Nullable String description,
    List<Field> context,
    List<EventType> events,
    State root,
    List<Invariant> invariants,
    Limits limits) {

  /** The id of the root state of every machine. */
  public static final String ROOT = "(root)";

  public Machine {
    context = List.copyOf(context);
    events = List.copyOf(events);
    invariants = List.copyOf(invariants);
  }

  /** The two declared modes of meaning. */
  public enum Mode {
    /** An event without a transition, or an expression that fails, is refused as a whole. */
    STRICT,
    /** As W3C says: unmatched events are dropped, failures become {@code error.execution}. */
    SCXML
  }
}
