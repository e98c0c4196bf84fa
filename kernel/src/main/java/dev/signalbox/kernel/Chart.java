package dev.signalbox.kernel;

import dev.signalbox.kernel.machine.Machine;
import java.util.List;

/** A machine compiled to tables. */
public final class Chart {
  private final Machine machine;

  private Chart(Machine machine) {
    this.machine = machine;
  }

  /**
   * The machine in the form the kernel runs.
   *
   * @throws IllegalArgumentException when the machine is not sound; the checks of the definition
   *     module name every fault with its place, this names the first
   */
  public static Chart compile(Machine machine, ExpressionCompiler expressions) {
    return new Chart(machine);
  }

  public Machine machine() {
    return machine;
  }

  List<String> names(long[] bits, boolean leavesOnly) {
    throw new UnsupportedOperationException();
  }

  int indexOf(String state) {
    throw new UnsupportedOperationException();
  }
}
