package dev.signalbox.services.sweep;

import dev.signalbox.runtime.RowFault;
import org.jspecify.annotations.Nullable;

/**
 * Instances whose row is not what their journal says: states that their machine does not have, a
 * context that no entry gives, a timer that nobody knows of, an end that never was. They go back to
 * the last valid state, which is what the journal gives. Where the journal itself was changed
 * nothing can be put right here; {@code verify} names the entry.
 */
public final class InvalidSweep implements Sweep {
  @Override
  public String kind() {
    return "invalid";
  }

  @Override
  public @Nullable Finding look(Subject subject) {
    RowFault fault = subject.fault();
    return fault == null
        ? null
        : subject.finding(
            kind(),
            fault.reason(),
            fault.restorable() ? new Correction.Restore() : new Correction.None());
  }
}
