package dev.signalbox.journal;

import java.util.List;

/**
 * What a commit wrote.
 *
 * @param group its number
 * @param lost the changes whose expectations did not hold any more; nothing of them was written
 */
public record Appended(long group, List<Change> lost) {}
