package dev.signalbox.journal;

/**
 * Something on its way to an instance.
 *
 * @param from the id of the instance that sent it
 * @param to the id of the instance that gets it
 * @param body canonical JSON
 */
public record MessageRow(long number, String from, String to, byte[] body) {}
