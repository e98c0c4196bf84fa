/**
 * For tests, ours and the users' own: a clock that is moved by hand, effects that go by a script,
 * and a seeded simulation of nodes that crash, stores that fail and clocks that jump, with an
 * auditor that compares what the journal says with what must have happened.
 *
 * <p>{@link dev.signalbox.testkit.Simulation} has the order of events. What takes part in it:
 *
 * <pre>
 *   Callers, Operator, Visitor ──▶ Nodes: ManualSignalbox, each with its NodeClock
 *   Contention, Probes                │ every call of the store, and of its turns
 *                                 FaultyStore ◀── Mishaps: what fails now, and how
 *                                     │
 *   Auditor ◀── view ── SimulatedStore: memory, SqliteFiles with TornFiles, PostgresDatabase
 *                                     ▲
 *                         Intruder, Tampering: writes past the runtime
 * </pre>
 *
 * <p>A node is the runtime that ships. Its engine, its appends, the taking and doing of effects and
 * the renewal of leases are the steps that its threads make otherwise; a step that throws would
 * have ended its thread, and is a finding. Deliberately absent, because other tests have it or
 * nothing here could have it:
 *
 * <ul>
 *   <li>Two threads of a node in the same instant: steps are interleaved as wholes, but for
 *       handlers that hang. How long a thread sleeps and who wakes it is not simulated either; a
 *       thread that nobody wakes looks again within a second. The tests of running nodes have both.
 *   <li>A death while a store is opened, migrated or closed, and the real death of a process:
 *       {@code KilledProcessTest}. A store that is opened opens, and the calls on it fail.
 *   <li>A disk that lies: what was flushed stays. What was not flushed may be there in any part.
 *   <li>Damage to what has hashes (that is for {@code verify}), to files of keys, and to rows while
 *       a node has them in memory: a sweep comes before anybody's next step.
 *   <li>The operator's keys in files, the server, the services and the systems above the runtime.
 *   <li>On PostgreSQL, where time passes by itself: clocks of the store that jump, closes in
 *       trouble, and what {@link dev.signalbox.testkit.Probes} brings about.
 * </ul>
 */
@NullMarked
package dev.signalbox.testkit;

import org.jspecify.annotations.NullMarked;
