package dev.signalbox.runtime;

/**
 * Why a row of the store is not what its journal says.
 *
 * @param restorable whether the journal itself holds, so that {@link Command.Correct} helps
 */
public record RowFault(String reason, boolean restorable) {}
