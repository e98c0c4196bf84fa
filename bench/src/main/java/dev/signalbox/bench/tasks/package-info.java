/** How fast jobs go through a queue and its workers, beside other queues on the same PostgreSQL. */
@NullMarked
package dev.signalbox.bench.tasks;

import org.jspecify.annotations.NullMarked;
