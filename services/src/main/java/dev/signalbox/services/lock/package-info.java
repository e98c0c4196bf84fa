/**
 * Locks: exclusive access to a resource by name, under a token that only grows, with a fair queue.
 *
 * <p>A lock is an instance of the machine {@code lock}, and everything that matters happens in its
 * steps: who releases a lock, or loses it because its time is over, frees it and reserves it for
 * the first in the queue in one step. So no process has to live for the queue to go on, on one node
 * or on several.
 *
 * <pre>
 *   AVAILABLE ── lock ──▶ LOCKED ── release, deadline ──▶ is somebody queued?
 *       ▲                   ▲                               │ no        │ yes
 *       └───────────────────┼───────────────────────────────┘           ▼
 *                           └──── lock, by whom it is for ──── RESERVED for the first, 30 s
 * </pre>
 *
 * <ul>
 *   <li>The token of a lock is larger than every token of it before. Whoever writes to the resource
 *       passes the token on, and the resource refuses one that is smaller than the last it saw: a
 *       holder that was broken and does not know it does no harm.
 *   <li>Who waits has a place in the queue; who leaves it, gives up a reservation at once, and who
 *       does not come is passed over after 30 seconds.
 *   <li>A holder is a name. One that has the lock is refused a second time: locks are not
 *       re-entrant.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.lock;

import org.jspecify.annotations.NullMarked;
