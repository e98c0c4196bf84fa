/**
 * Approved runs: plan, execute tools one at a time, or a few that only read together, stop for a
 * person where it is risky, verify, audit, and roll back.
 *
 * <p>A run is an instance of {@code runs.run}, and the machine drives itself: entering a state asks
 * for an effect, and its result comes back as an event of the machine. So the engine gives what is
 * hard: an effect starts after the commit that asked for it, under a lease with a fence; one that
 * was cut off is repeated when it is idempotent and {@code unknown} otherwise; what is committed is
 * never done again; and a process that dies leaves nothing that another does not take up.
 *
 * <pre>
 *   runs.begin ─▶ plan            runs.tool, runs.tool_once ─▶ pass, fail, needs_approval, halted
 *   runs.plan  ─▶ ready, ask,     runs.ask    ─▶ the request's id; people answer by message
 *                 critical        runs.accept ─▶ a tool of unknown outcome taken as done
 *   runs.adopt ─▶ plan_ready      runs.check  ─▶ pass, fail
 *   runs.undo  ─▶ undone          runs.audit  ─▶ a verdict
 * </pre>
 *
 * <ul>
 *   <li>The plan is frozen: its canonical JSON is in the first entry of the run, an invariant keeps
 *       it as it is, and every effect is given its tool out of it. What the policy says of a tool
 *       is part of it; {@code runs.plan} works it out again and halts the run when somebody started
 *       it with other risks than the policy gives.
 *   <li>An approval is claimed right before the tool runs, for what is about to run. What differs
 *       in one byte is another action: nothing runs, and the run halts.
 *   <li>A tool that may change the folder is preceded by a backup, and is on the list of what has
 *       to be undone before it starts. Undoing goes through that list from its end.
 *   <li>What a tool said and saw is in the journal and, by hash, in the run's folder.
 * </ul>
 */
@NullMarked
package dev.signalbox.systems.runs;

import org.jspecify.annotations.NullMarked;
