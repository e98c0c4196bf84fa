/** What the journals in SQL databases have in common: how rows are read and asked for. */
@NullMarked
package dev.signalbox.journal.sql;

import org.jspecify.annotations.NullMarked;
