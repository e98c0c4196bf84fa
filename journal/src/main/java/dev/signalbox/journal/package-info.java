/**
 * The append-only, hash-chained record of what happened, and the queries over it. It stores bytes
 * and knows no machine: what an entry says is the runtime's business, that it stays as it was
 * written is this module's.
 */
@NullMarked
package dev.signalbox.journal;

import org.jspecify.annotations.NullMarked;
