/**
 * The journal in one SQLite file that one process owns.
 *
 * <p><b>A commit</b> writes a group on the one connection that writes, into SQLite's write-ahead
 * log, and flushes it ({@code synchronous=FULL}). What is needed for each of its rows is known
 * before: the heads to compare with, and where the newest step of an instance is ({@link
 * dev.signalbox.journal.sqlite.NewestSteps}).
 *
 * <p><b>A step that leaves its instance where it is found</b> (the same states, machine, status and
 * next timer) does not touch the instance's row: what the instance became is written one behind the
 * other and brought into the rows later, many at a time ({@link
 * dev.signalbox.journal.sqlite.LateRows}). Readers take it from there.
 *
 * <p><b>One owner.</b> The lock is beside the file that the name leads to ({@link
 * dev.signalbox.journal.sqlite.Location}), and {@link dev.signalbox.journal.sqlite.FileWatcher}
 * notices when a file is taken away from its owner.
 *
 * <p><b>The log</b> is brought into the file by {@link dev.signalbox.journal.sqlite.LogEmptier} on
 * another thread. Left to itself SQLite does it within a commit every now and then, and whoever
 * waits for that commit waits for it too.
 */
@NullMarked
package dev.signalbox.journal.sqlite;

import org.jspecify.annotations.NullMarked;
