package dev.signalbox.kernel.machine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A child that lives as long as the state that invokes it.
 *
 * @param id given by the author; null means generated as {@code state.number}
 * @param idLocation a context field that receives the generated id, or null
 * @param type the kind of service; null means another machine
 * @param source the child's machine by name or file; null when it is inline or in {@code content}
 * @param inline the child's machine, written inside this one
 * @param content the text of the child's machine, computed when it is needed
 * @param input values for the child's context fields of the same names
 */
public record Invoke(
    @Nullable String id,
    @Nullable String idLocation,
    @Nullable Operand type,
    @Nullable Operand source,
    @Nullable Machine inline,
    @Nullable Operand content,
    Payload input,
    boolean autoforward,
    List<Action> finalizer) {

  public Invoke {
    finalizer = List.copyOf(finalizer);
  }

  public static Invoke machine(@Nullable String id, String name, Payload input) {
    return new Invoke(id, null, null, Operand.literal(name), null, null, input, false, List.of());
  }
}
