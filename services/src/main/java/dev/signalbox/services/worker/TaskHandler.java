package dev.signalbox.services.worker;

import dev.signalbox.services.task.Lease;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Does tasks of one kind in this process. */
@FunctionalInterface
public interface TaskHandler {

  /**
   * Does the task. It may be called again for the same task, after a failure or when its worker was
   * lost: whatever it does outside should be repeatable, or carry the lease's fence.
   *
   * @return JSON values, or null
   * @throws TaskException when it fails for a cause that it knows
   * @throws Exception counts as a temporary error
   */
  @Nullable Object handle(Lease lease) throws Exception;

  /**
   * The same for a handler that asks now and then whether anybody still wants what it does. When
   * its limit is over, the task was cancelled or its worker ends, the thread is interrupted too,
   * and what it answers after that counts for nothing.
   *
   * @param wanted false once nobody does
   */
  default @Nullable Object handle(Lease lease, BooleanSupplier wanted) throws Exception {
    return handle(lease);
  }
}
