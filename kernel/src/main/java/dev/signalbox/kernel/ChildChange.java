package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Machine;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a step did to the children of the instance. */
public sealed interface ChildChange {

  /**
   * A child is to be started. When it cannot be, the caller reports {@code error.communication}
   * with the invocation's id; when it ends, {@code done.invoke.ID} with its output.
   *
   * @param type the kind of service; null means a machine
   * @param source the machine's name or file, or null
   * @param inline the machine itself, or null
   * @param content the text of the machine, or null
   * @param input values for context fields of the same names
   */
  record Started(
      Invocation invocation,
      @Nullable String type,
      @Nullable String source,
      @Nullable Machine inline,
      @Nullable Object content,
      Map<String, @Nullable Object> input)
      implements ChildChange {}

  /** A child is to be ended, with everything below it. */
  record Cancelled(Invocation invocation) implements ChildChange {}

  /**
   * A child that lives.
   *
   * @param id the invocation's id, unique within the instance
   * @param state the state that invoked it
   * @param number the place of the invoke within that state
   * @param instance the child's instance id
   */
  record Invocation(String id, String state, int number, String instance) {}
}
