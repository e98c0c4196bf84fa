/** The journal in memory, for tests and simulations: the contract in its plainest form. */
@NullMarked
package dev.signalbox.journal.memory;

import org.jspecify.annotations.NullMarked;
