/**
 * Telling people, systems and the audit what happened.
 *
 * <p><b>What</b> is told is a pure function of a journal's entry and the rules: a notification is
 * never stored by itself, and the same entry gives the same notification with the same id on every
 * node and after every restart. What happens to subscriptions and deliveries is told to nobody, or
 * telling would never end.
 *
 * <pre>
 *  feed ──▶ rules ──▶ notifications ─┬▶ stream: whoever asks, from a cursor of their own
 *                                    └▶ courier of a subscription, from its durable cursor
 *                                          log: written, then the cursor moves
 *                                          webhook: a delivery is started under the notification's
 *                                          id (again changes nothing), then the cursor moves
 *
 *  PENDING ─send▶ SENDING ─delivered▶ DELIVERED
 *     ▲             │ failed: WAITING (backoff, a durable timer) ─▶ PENDING
 *     │             │ lease over without a word ─▶ PENDING
 *  redeliver        └ no attempt left, or hopeless ─▶ DEAD_LETTER, with the reason
 * </pre>
 *
 * <p><b>At least once.</b> The cursor moves after what was read is durable elsewhere, and an
 * attempt that nobody reported on is repeated; the receiver drops what it has by the {@code
 * webhook-id}, which is the notification's id at every attempt.
 *
 * <p><b>Nobody waits for a receiver.</b> A courier has threads of its own and a bounded number of
 * attempts under way, each with a deadline for the whole exchange. The engine never calls anything
 * here; what can't be delivered waits in the journal.
 *
 * <p><b>Several nodes</b> may serve the same subscriptions: starting a delivery twice changes
 * nothing, and {@code send} names the sequence it has seen, so that one of them gets it.
 */
@NullMarked
package dev.signalbox.services.notification;

import org.jspecify.annotations.NullMarked;
