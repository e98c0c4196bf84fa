package dev.signalbox.server.mcp;

import dev.signalbox.services.system.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and for what.
 *
 * @param instance the only instance of the connection; null means all that the caller may see
 */
record Visitor(Caller caller, @Nullable String instance) {}
