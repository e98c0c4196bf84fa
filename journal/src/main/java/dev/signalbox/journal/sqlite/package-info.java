/** The journal in one SQLite file that one process owns. */
@NullMarked
package dev.signalbox.journal.sqlite;

import org.jspecify.annotations.NullMarked;
