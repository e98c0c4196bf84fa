/**
 * The task queue: work that is leased to one worker at a time, under a fence that only grows.
 *
 * <p>A task is an instance of the machine {@code task}, and that machine is the authority. It alone
 * decides whether a lease is given, a result counts, a failure is retried and when, and it does so
 * in one step, so that nothing is left half decided when a process dies. What is here is memory and
 * courtesy around it:
 *
 * <pre>
 *   submit ──▶ QUEUED ─┐                       the backlog: what may be leased, in memory
 *                      ├─ assigned(fence+1) ──▶ ASSIGNED ─ started ──▶ RUNNING ─ succeeded
 *   RETRY_QUEUED ──────┘   when a claim waits                             │ failed, deadline
 *        ▲                                                                ▼
 *        └──────────── 5, 30, 120 s, in the same step ◀──────── or the dead letter
 * </pre>
 *
 * <ul>
 *   <li>The backlog is a hint. It is rebuilt from the store at the start, fed by what this node
 *       does, and completed by looking into the store again and again; a task that is in it and is
 *       not free any more costs one refusal.
 *   <li>Two nodes that lease the same task at the same time: the store lets one of them win, the
 *       other's lease is refused by the machine, and it takes the next task.
 *   <li>Every report carries the fence of its lease. One that comes too late is refused and
 *       recorded, and changes nothing.
 *   <li>Whatever is called answers with a future and blocks nobody.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.task;

import org.jspecify.annotations.NullMarked;
