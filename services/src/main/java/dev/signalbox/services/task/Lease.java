package dev.signalbox.services.task;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A task that a worker has: everything that it needs to do the work and to report.
 *
 * @param fence what every report must carry
 * @param started whether it runs already; otherwise it must be started within 30 seconds
 * @param limit how long it may run
 * @param execution the how many-th try it is, from 1
 */
public record Lease(
    String task,
    long fence,
    String worker,
    boolean started,
    String kind,
    String owner,
    Priority priority,
    @Nullable Object input,
    Duration limit,
    long execution) {}
