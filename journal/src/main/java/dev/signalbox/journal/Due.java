package dev.signalbox.journal;

/** When the next timer of an instance falls due. */
public record Due(long instance, long at) {}
