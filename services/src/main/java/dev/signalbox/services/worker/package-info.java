/**
 * Workers: who does tasks, in this process or in another.
 *
 * <p>A worker is an instance of the machine {@code worker}. It takes tasks and works on them one
 * after the other; while it has some in hand it is BUSY. Every 30 seconds it gives a sign of life;
 * one that is silent for 300 seconds is taken for crashed, and what it had in hand is failed as
 * {@code worker_failure}, which is a cause that is retried.
 *
 * <p>A worker in another process, in any language, needs four calls: register, poll, heartbeat, and
 * the reports of the task queue. A poll that is repeated, because its answer got lost, gives the
 * tasks that the worker has and has not reported, so it needs no key. Workers in this process are
 * kept by a {@link dev.signalbox.services.worker.WorkerPool}, which starts, restarts and drains
 * them.
 */
@NullMarked
package dev.signalbox.services.worker;

import org.jspecify.annotations.NullMarked;
