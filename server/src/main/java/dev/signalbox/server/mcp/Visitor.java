package dev.signalbox.server.mcp;

import dev.signalbox.services.system.Caller;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and for what.
 *
 * @param instance the only instance of the connection; null means all that the caller may see
 * @param from the address of whoever asks
 * @param trace the {@code traceparent} that came with the request, or null
 */
record Visitor(Caller caller, @Nullable String instance, String from, @Nullable String trace) {

  /** The same one, with the trace of a call where that has one of its own. */
  Visitor traced(@Nullable Object own) {
    return own instanceof String text ? new Visitor(caller, instance, from, text) : this;
  }
}
