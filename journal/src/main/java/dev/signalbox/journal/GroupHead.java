package dev.signalbox.journal;

/** Where a writer's chain of groups ends. */
public record GroupHead(long writer, long group, byte[] root) {}
