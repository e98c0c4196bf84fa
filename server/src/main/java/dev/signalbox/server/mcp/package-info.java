/**
 * The door for agents: the Model Context Protocol over Streamable HTTP and over standard input and
 * output.
 *
 * <pre>
 *   HTTP    Gate ─▶ McpServlet: whose connection is it? ─▶ the SDK's transport ─┐
 *   stdio   the SDK's transport ────────────────────────────────────────────────┴▶ Methods
 *   stdio, where a server runs already: StdioBridge ─▶ HTTP                          │
 *                                                                                    ▼
 *                        StoreTools, or InstanceTools for a connection with one instance
 *                                                                                    │
 *                                                                     Desk ─▶ Signalbox
 * </pre>
 *
 * The authority is the gate, for every request anew; a connection is no credential and is of no use
 * to another one. Whether something may be done is decided by the engine when it is done, never by
 * the list of tools, which only shows what would be permitted now. A refusal is the result of a
 * tool, marked as an error, with the code, the message and what is permitted instead, and it is in
 * the journal as every refusal is; errors of the protocol are for requests that are none.
 *
 * <p>A connection with one instance is told {@code tools/list_changed} when the list it was given
 * is not the list any more. This is a hint: whoever lists again, or just tries, is right without
 * it.
 */
@NullMarked
package dev.signalbox.server.mcp;

import org.jspecify.annotations.NullMarked;
