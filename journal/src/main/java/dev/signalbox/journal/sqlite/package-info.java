/**
 * The journal in one SQLite file that one process owns.
 *
 * <p><b>A commit</b> writes a group on the one connection that writes, into SQLite's write-ahead
 * log, and flushes it ({@code synchronous=FULL}). What is needed for each of its rows is known
 * before: the heads to compare with, and where the newest step of an instance is ({@link
 * dev.signalbox.journal.sqlite.NewestSteps}).
 *
 * <p><b>The log</b> is brought into the file by {@link dev.signalbox.journal.sqlite.LogEmptier} on
 * another thread. Left to itself SQLite does it within a commit every now and then, and whoever
 * waits for that commit waits for it too.
 */
@NullMarked
package dev.signalbox.journal.sqlite;

import org.jspecify.annotations.NullMarked;
