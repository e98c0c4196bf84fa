package dev.signalbox.runtime;

import java.util.List;

/**
 * What was erased.
 *
 * @param erased the ids of the instances whose keys are destroyed, also those erased before
 * @param clear the ids of instances below that have nothing sealed, and stay as they are
 * @param forks the ids of instances that began from one of the erased; they have copies under keys
 *     of their own, and are erased one by one
 */
public record Erasure(List<String> erased, List<String> clear, List<String> forks) {}
