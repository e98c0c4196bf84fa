package dev.signalbox.journal;

/**
 * What says that an effect is its holder's: nobody has taken it since as long as the fence fits.
 */
public record Lease(long effect, long fence) {}
