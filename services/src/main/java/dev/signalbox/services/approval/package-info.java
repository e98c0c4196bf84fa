/**
 * People's word on one exact action.
 *
 * <p>An approval is an instance of the machine {@code approval}, and every rule about it is in that
 * machine, so it holds whichever way an event comes: from this package, the command line, HTTP or
 * another machine. This package computes digests, starts requests, reads the inbox and closes what
 * nobody waits for any more.
 *
 * <pre>
 *   request ─▶ REQUEST_APPROVAL ─▶ AWAITING_HUMAN ─▶ APPROVED ─▶ EXECUTED   claimed, once
 *                                        │               └─▶ ABORTED         other arguments, expired
 *                                        └─▶ REJECTED ─▶ ABORTED             no, expired, escalated
 * </pre>
 *
 * <ul>
 *   <li>The authority is the instance's entry in the journal. A claim is one event, so it is one
 *       commit: of two claims, on whatever node, one finds the instance final.
 *   <li>What is bound is the SHA-256 of the canonical JSON of subject, action, arguments and
 *       identity ({@link dev.signalbox.services.approval.Action}). The approver names the digest,
 *       and the claim brings the digest of what is about to run; a claim with another one ends the
 *       approval.
 *   <li>Being saved and being called off are internal events of the step that asks for them, so
 *       there is no moment in which a process can die between them. What the asking instance is
 *       told is a message of that step, and is delivered after a restart too.
 *   <li>A process that dies after its claim and before its work leaves an approval that is used up.
 *       Whoever can tell repetitions claims under a key: the same key gets the same answer.
 *   <li>Reminders and orphans are looked for by {@link
 *       dev.signalbox.services.approval.Approvals#tend}; it may run on any number of nodes, as
 *       often as anyone likes. A claim looks at its owner too, so that an orphan is not used in
 *       between.
 * </ul>
 */
@NullMarked
package dev.signalbox.services.approval;

import org.jspecify.annotations.NullMarked;
