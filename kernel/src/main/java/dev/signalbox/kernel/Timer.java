package dev.signalbox.kernel;

import org.jspecify.annotations.Nullable;

/**
 * A pending point in time.
 *
 * @param id unique among the pending timers of the instance
 * @param sendId the author's id of a delayed send, to cancel it by; several timers may share one
 * @param state the state whose deadline this is; null for a delayed send
 * @param due in milliseconds since 1970
 * @param message what is delivered then
 */
public record Timer(
    String id, @Nullable String sendId, @Nullable String state, long due, Step.Message message) {}
