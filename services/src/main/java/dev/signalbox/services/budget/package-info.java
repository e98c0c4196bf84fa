/**
 * Limits on what may be used: tokens, money in its smallest unit, calls, milliseconds, files,
 * questions, or anything else that can be counted.
 *
 * <p>A budget is an instance of the machine {@code budget} and holds a whole tree of accounts; the
 * account {@code session/agent-1} is below {@code session}. A line is an account and a unit.
 *
 * <pre>
 *   reserve ─▶ fits on every line of the path ─▶ reserved ─▶ settle    what was used counts, all of it
 *          │                                             ├─▶ release   nothing was used
 *          │                                             └─▶ lapse     the lease is over
 *          └─▶ does not fit ─▶ refused; the owner of the first such line gets its event, once
 * </pre>
 *
 * <ul>
 *   <li>The authority is the instance's entry in the journal. A reservation is one event of one
 *       instance, so it is taken on the whole path or not at all, on whatever node.
 *   <li>Used and reserved never exceed the limit by more than what was settled beyond its
 *       reservation, and a line says how much that was ({@code over}).
 *   <li>A reservation has a lease. When it is over the amount comes back as soon as somebody needs
 *       it, or {@link dev.signalbox.services.budget.Budgets#tend} comes by; while one is over,
 *       nothing is refused for good. Whoever settles later is recorded as late, and it counts.
 *   <li>The reservation's id is its idempotency key: asking again for the same gives the same
 *       answer, and it is settled or released once.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.budget;

import org.jspecify.annotations.NullMarked;
