/**
 * The kernel: what a machine means, as pure functions over records.
 *
 * <p>{@link dev.signalbox.kernel.Chart} is a machine compiled to tables. {@link
 * dev.signalbox.kernel.Kernel} takes a chart, a snapshot, an event and the time, and answers with a
 * {@link dev.signalbox.kernel.Step} or a {@link dev.signalbox.kernel.Rejection}. The caller keeps
 * time, delivers messages, starts children and runs effects; the kernel only says which.
 *
 * <p>Deliberately absent: a clock, randomness, I/O, logging, threads, reflection. The same input
 * gives the same output, byte for byte.
 */
@NullMarked
package dev.signalbox.kernel;

import org.jspecify.annotations.NullMarked;
