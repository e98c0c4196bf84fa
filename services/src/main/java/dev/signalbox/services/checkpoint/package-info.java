/**
 * Checkpoints in a second place. Whoever owns the machine has the store and, mostly, the key that
 * signs it, and could write all of it anew. What was published where that owner alone can't take it
 * back shows it: {@code verify --checkpoints} compares.
 *
 * <p>The store is the authority: a checkpoint is in it before it is published, in the order in
 * which it was written. A place that can't be reached is tried again, and what it missed while the
 * process was down is published when it is next up, where the place can say what it has.
 */
@org.jspecify.annotations.NullMarked
package dev.signalbox.services.checkpoint;
