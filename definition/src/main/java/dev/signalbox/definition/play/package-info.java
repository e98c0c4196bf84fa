/**
 * Machines played in memory, on a manual clock, without a store and without the outside world.
 *
 * <p>{@link dev.signalbox.definition.play.Playground} runs a machine and the children it invokes
 * until nothing is left to do, and gives one {@link dev.signalbox.definition.play.Entry} for each
 * step or refusal. Effects are written down and never answered.
 *
 * <p>The order is fixed, so that the same machine and the same events always give the same entries:
 * events are delivered in the order in which they were sent, over all instances; a child starts
 * after the step that asked for it, before any other event is delivered; time passes only when
 * nothing is left to deliver, and then to the earliest timer, those of the same moment in the order
 * in which they were scheduled.
 */
@NullMarked
package dev.signalbox.definition.play;

import org.jspecify.annotations.NullMarked;
