/**
 * Traces that join a caller to the step, the effect and its result.
 *
 * <p>A command carries the caller's {@code traceparent} (W3C) and the entry keeps it, in a field of
 * its own beside the event. Where the command has none, it is that of whom the thread works for
 * ({@link dev.signalbox.runtime.CallerTrace}). No machine can see it, so it changes nothing that
 * happens, and a replay writes it again as it was read. From there everything is found: an effect's
 * key leads to the entry that asked for it, and the entry to the trace, on every node and after
 * every restart.
 *
 * <pre>
 *  caller's span
 *    └─ signalbox.step          submit until durable; its own traceparent is what the entry keeps
 *         └─ signalbox.effect   one attempt of a handler
 *         └─ signalbox.result   the step that the result caused; a link to the attempt
 * </pre>
 */
@NullMarked
package dev.signalbox.services.trace;

import org.jspecify.annotations.NullMarked;
