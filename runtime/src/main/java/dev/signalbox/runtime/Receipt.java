package dev.signalbox.runtime;

import java.util.List;

/**
 * Proof that a command was carried out.
 *
 * @param sequence of the entry, in the instance's chain
 * @param hash of the entry, in hexadecimal
 * @param states the innermost active states afterwards
 * @param ended whether the instance takes no more events
 */
public record Receipt(
    String instance, long sequence, String hash, List<String> states, boolean ended) {}
