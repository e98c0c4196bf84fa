/** Runs benchmarks by name and prints each as a table and a last line of JSON. */
@NullMarked
package dev.signalbox.bench;

import org.jspecify.annotations.NullMarked;
