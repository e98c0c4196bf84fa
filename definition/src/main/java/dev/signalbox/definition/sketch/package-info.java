/**
 * States and edges as a drawing gives them, and how they become a machine.
 *
 * <p>A drawing has names, boxes inside boxes, arrows with prose on them and black dots. {@link
 * dev.signalbox.definition.sketch.Sketch} holds just that; the readers of drawn formats fill it.
 * {@link dev.signalbox.definition.sketch.SketchMachine} gives it a meaning: prose becomes event
 * names, dots become initial and final states, and what stays ambiguous becomes a problem while the
 * graph is kept as it was drawn.
 *
 * <p>Where a drawing needs a state that has no name, the machine gets one with an implicit id:
 * {@code $start} and {@code $end} for dots, {@code X.region1} for a part between dashed lines.
 * {@link dev.signalbox.definition.Graph} does not count them, and writers draw them as what they
 * were.
 */
@NullMarked
package dev.signalbox.definition.sketch;

import org.jspecify.annotations.NullMarked;
