/**
 * Sweeps: they look at every instance that has not ended, name what is in trouble, and put right
 * what can be put right. Of one that has ended by its row they only ask the newest entry whether it
 * has.
 *
 * <p>A sweep goes through the store once, in the order of the instances' numbers. Each kind of
 * trouble is a class that looks at one instance and says what it finds and what would help: an
 * event of the machine's own ({@code zombie}, {@code orphaned}, {@code stuck}), cancelling, telling
 * it that an effect is lost, or bringing it back to what its journal says. A correction goes
 * through the one door as an actor with the role {@code sweep}, so it is an entry with its reason,
 * replayed as any other, and refused like any other when the instance has moved on. A dry run only
 * reports.
 *
 * <p>The store moves while a sweep looks. What depends on two things (an instance and its effects)
 * is looked at again before it counts, and what was written less than a grace ago is left alone.
 */
@NullMarked
package dev.signalbox.services.sweep;

import org.jspecify.annotations.NullMarked;
