/**
 * Text to machine and back: the formats, the problems found in them, and what both have in common.
 *
 * <p>{@link dev.signalbox.definition.MachineReader} reads every format into {@link
 * dev.signalbox.definition.Definition}s: machines with the places of their parts in the source and
 * every problem at once. {@link dev.signalbox.definition.MachineWriter} goes the other way, and
 * says what the format cannot. Formats live in a package each; so do expressions, checks and
 * drawings.
 */
@NullMarked
package dev.signalbox.definition;

import org.jspecify.annotations.NullMarked;
