package dev.signalbox.journal;

import java.util.List;

/** How many live instances of a machine are in a configuration. */
public record Count(long machine, List<String> leaves, long instances) {}
