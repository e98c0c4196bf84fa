/**
 * The definition of a machine as plain records: what every format reads into and writes from.
 *
 * <p>Nothing here runs. Expressions are text, targets are state ids, and a machine in this form may
 * still be wrong; {@link dev.signalbox.kernel.Chart} is its compiled form. Elements carry no source
 * positions: a reader keeps those beside the machine, by element identity, so two machines read
 * from different formats can be equal.
 */
@NullMarked
package dev.signalbox.kernel.machine;

import org.jspecify.annotations.NullMarked;
