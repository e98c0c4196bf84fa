package dev.signalbox.runtime;

import java.time.Duration;

/**
 * Limits and defaults of a runtime.
 *
 * @param queue commands that may wait; the next one is refused as busy
 * @param groupSize commands that share one commit at most
 * @param dataBytes the largest data of an event, as canonical JSON
 * @param cacheBytes what instances kept in memory may take, about
 * @param refusals that are kept of one instance; what it refuses beyond that is not recorded
 * @param races that a command may lose against other nodes before it waits for a turn with its
 *     instance, in which nobody else can write it
 * @param lease how long an effect's handler has before someone else may take the effect
 * @param attempts how often an idempotent effect whose handler fails is tried
 * @param firstDelay before the second attempt; it doubles each time, up to an hour
 * @param effectsAtOnce handlers that run at the same time
 * @param checkpointGroups after how many commits a signed checkpoint is put into the store
 * @param checkpointInterval after how long it is, when there was a commit since the last
 */
public record Settings(
    int queue,
    int groupSize,
    int dataBytes,
    long cacheBytes,
    long refusals,
    int races,
    Duration lease,
    int attempts,
    Duration firstDelay,
    int effectsAtOnce,
    int checkpointGroups,
    Duration checkpointInterval) {

  /** Settings with the usual checkpoints. */
  public Settings(
      int queue,
      int groupSize,
      int dataBytes,
      long cacheBytes,
      long refusals,
      int races,
      Duration lease,
      int attempts,
      Duration firstDelay,
      int effectsAtOnce) {
    this(
        queue,
        groupSize,
        dataBytes,
        cacheBytes,
        refusals,
        races,
        lease,
        attempts,
        firstDelay,
        effectsAtOnce,
        10_000,
        Duration.ofMinutes(1));
  }

  /** These settings with other checkpoints. */
  public Settings withCheckpoints(int groups, Duration interval) {
    return new Settings(
        queue,
        groupSize,
        dataBytes,
        cacheBytes,
        refusals,
        races,
        lease,
        attempts,
        firstDelay,
        effectsAtOnce,
        groups,
        interval);
  }

  public static final Settings DEFAULT =
      new Settings(
          8_192,
          1_024,
          256 * 1024,
          Math.max(32L << 20, Runtime.getRuntime().maxMemory() / 2),
          10_000,
          3,
          Duration.ofSeconds(60),
          10,
          Duration.ofSeconds(1),
          64);
}
