/**
 * The libraries that the benchmarks stand beside, each in a process of its own.
 *
 * <p>A process prints lines of words with tabs between them on standard output, which the benchmark
 * that started it reads, and ends with 0. One that cannot start or go on says why in one line on
 * standard error and ends with 1.
 */
@NullMarked
package dev.signalbox.bench.peers;

import org.jspecify.annotations.NullMarked;
