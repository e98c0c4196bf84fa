package dev.signalbox.journal;

import java.util.List;

/** The changes of one commit, at most one for each instance. */
public record Group(long at, List<Change> changes) {}
