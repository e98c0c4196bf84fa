/**
 * A run as files, for whoever has no access to the store: {@code RUN_STATE.json}, {@code
 * RUN_LOG.jsonl} and {@code PENDING/} in the run's folder, {@code RUN_LEDGER.jsonl} beside the
 * folders of all runs.
 *
 * <pre>
 *   journal ─▶ RunFiles, in the journal's order ─▶ 1 RUN_STATE.json  2 RUN_LOG.jsonl  3 RUN_LEDGER.jsonl
 * </pre>
 *
 * <ul>
 *   <li>The authority is the journal; the files follow from it and from nothing else, so they can
 *       be deleted at any time and come back the same.
 *   <li>The last line of the ledger says how far the files are. A process that dies in between
 *       writes the same again. What is lost, torn, behind or altered is found when the files are
 *       opened and is written anew; a ledger that was altered before its end is kept aside.
 *   <li>{@code RUN_STATE.json} is replaced as a whole, so a reader never sees a part of it.
 *   <li>Each line of the log and of the ledger has the hash of the one before it, from 64 zeros on,
 *       and a line of the ledger the hash of the log's line it stands for. {@link
 *       dev.signalbox.systems.runs.file.RunVerifier} checks them without the journal.
 * </ul>
 */
@NullMarked
package dev.signalbox.systems.runs.file;

import org.jspecify.annotations.NullMarked;
