package dev.signalbox.journal;

import org.jspecify.annotations.Nullable;

/**
 * Work for the outside world that has not ended.
 *
 * @param key never changes, however often the work is tried
 * @param reply the name its result's event begins with
 * @param during the state with which it ends, or null
 * @param input canonical JSON
 * @param due when it may be taken: at once, at the end of a lease, or at the next attempt
 * @param attempt how often its handler began, and this taking's, if it is taken
 * @param fence grows with every taking, so that a result can be told from a late one
 * @param owner who has it under lease, or null
 * @param cutOff whether a handler began under an earlier taking and ended without a word
 */
public record EffectRow(
    long number,
    long instance,
    String key,
    String name,
    String reply,
    boolean idempotent,
    @Nullable String during,
    byte[] input,
    long due,
    int attempt,
    long fence,
    @Nullable String owner,
    boolean cutOff) {}
