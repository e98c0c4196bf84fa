/**
 * For tests, ours and the users' own: a clock that is moved by hand, effects that go by a script,
 * and a seeded simulation of nodes that crash, stores that fail and clocks that jump, with an
 * auditor that compares what the journal says with what must have happened.
 */
@NullMarked
package dev.signalbox.testkit;

import org.jspecify.annotations.NullMarked;
