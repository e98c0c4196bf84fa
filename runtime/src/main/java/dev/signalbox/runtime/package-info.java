/**
 * Where time passes and effects happen: the one door through which every command goes, the timers,
 * the effects and the messages between instances.
 *
 * <p><b>An effect's life.</b> The step that asks for it puts it into the store with its commit. A
 * node takes it under a lease, on the store's clock, with a fence that grows with every taking:
 *
 * <pre>
 *  asked ──▶ taken ──▶ handler runs, lease renewed ──▶ result: one commit ends the effect and
 *    ▲         │                  │                      applies it, if the fence still fits
 *    │         │                  └─▶ put off: released, taken again later
 *    └─────────┘ lease over: taken again, cut off; not idempotent: unknown
 * </pre>
 *
 * The store is the authority. A state that is left ends the effects that are {@code during} it,
 * with the commit of the step; whoever works on one learns that from the renewal, and is
 * interrupted. Whatever reports too late finds another fence or no effect, and is refused as a late
 * result. A node that finds its own effect free, because it stood still for longer than the lease,
 * takes it again and lets the handler go on.
 */
@NullMarked
package dev.signalbox.runtime;

import org.jspecify.annotations.NullMarked;
