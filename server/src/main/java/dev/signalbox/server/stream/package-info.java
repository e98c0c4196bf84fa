/**
 * Everything that is committed, told to many at once.
 *
 * <p>The store is the authority: a client's position is the position of the last entry it was
 * given, and whatever is above it in the store it has yet to get. So a reconnect, to this node or
 * another, with the last position goes on without a gap and without a duplicate.
 *
 * <pre>
 *   store ── feed ──▶ tail, one thread ──▶ recent entries ──▶ stream, stream, stream
 *     └───────────────────────────────────────────────────────▲ whoever is further behind
 * </pre>
 *
 * One thread reads what is new and keeps the most recent entries, ready to be sent. A stream reads
 * from those, and from the store itself when it is further behind. Nothing is queued for anybody,
 * so a slow client costs nobody anything but its own connection.
 */
@NullMarked
package dev.signalbox.server.stream;

import org.jspecify.annotations.NullMarked;
