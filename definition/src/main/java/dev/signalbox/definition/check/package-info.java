/**
 * The checks a machine passes before it is published: its structure, and what it can ever do.
 *
 * <p>{@link dev.signalbox.definition.check.Check} is the way in. It runs the structural checks,
 * which look at the definition alone, and, when those find no error, the model checker, which
 * explores every configuration the machine can reach. The model checker has no interpreter of its
 * own: it runs the real kernel on a chart whose expressions may answer "unknown", and runs a step
 * again for each way an unknown condition can go. What it finds wrong it replays on the concrete
 * machine before it says so. docs/checks.md says exactly what is proved, under which assumptions.
 */
@NullMarked
package dev.signalbox.definition.check;

import org.jspecify.annotations.NullMarked;
