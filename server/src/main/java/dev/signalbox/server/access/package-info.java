/**
 * Who may come in: tokens, OIDC tokens of others, sessions of browsers, one-time links, and the log
 * of what was refused.
 *
 * <p>Tokens are instances of the machine {@code token}, so they are durable, the same on every
 * node, expire by a timer, and who made or revoked one is in the journal. Only the SHA-256 of a
 * secret is kept. A session lives in the memory of one node and ends with the token it came from.
 */
@NullMarked
package dev.signalbox.server.access;

import org.jspecify.annotations.NullMarked;
