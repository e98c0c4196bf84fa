/** The HTTP API, the event stream, the page and the MCP door. */
@NullMarked
package dev.signalbox.server;

import org.jspecify.annotations.NullMarked;
