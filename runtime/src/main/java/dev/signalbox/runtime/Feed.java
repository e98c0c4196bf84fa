package dev.signalbox.runtime;

import dev.signalbox.journal.Journal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What happens in the store, in the order of its positions: for whoever follows all instances.
 *
 * <p>Positions grow and have gaps. An entry that commits later has a higher position than every
 * entry that {@link #read} has given, so a reader that remembers the last position it dealt with
 * misses nothing and gets nothing twice, also across restarts and on another node. On PostgreSQL
 * this holds because nothing is given from a transaction on that still runs; a long transaction of
 * anyone in the same cluster therefore delays the feed, and nothing else.
 *
 * <p>Reading again and again is enough. {@link #onCommit} says when it is worth while: it is a hint
 * for commits of this node, may come without anything new, and on a shared store does not come for
 * the commits of others. Any thread may use a feed.
 */
public final class Feed {
  /** The most entries that one reading gives. */
  public static final int MOST = 10_000;

  private final Journal journal;
  private final Machines machines;
  private final List<Watch> watches = new CopyOnWriteArrayList<>();
  private volatile boolean watched;

  Feed(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  /**
   * Committed entries and refusals above a position, in order.
   *
   * @param after the position of the last entry the caller has; 0 for the beginning
   * @param most from 1 to {@link #MOST}
   */
  public List<FeedEntry> read(long after, int most) {
    if (most < 1 || most > MOST) {
      throw new IllegalArgumentException(
          "Expected to read 1 to %,d entries, but was asked for %,d.".formatted(MOST, most));
    }
    return journal.entries(after, most).stream()
        .map(e -> new FeedEntry(e, machines.get(e.machine()).published, machines.seals))
        .toList();
  }

  /** The position of the newest entry; 0 when there is none. */
  public long end() {
    return journal.end();
  }

  /**
   * Calls the hint some time after each commit of this node, on a virtual thread of its own. Hints
   * that would come while one is running become one. A hint that takes long or fails delays nobody
   * but itself.
   */
  public Watch onCommit(Runnable hint) {
    Watch watch = new Watch(this, hint);
    watches.add(watch);
    watched = true;
    watch.start();
    return watch;
  }

  /** Something was committed. Costs one volatile read where nobody watches. */
  void committed() {
    if (watched) {
      watches.forEach(Watch::wake);
    }
  }

  void forget(Watch watch) {
    watches.remove(watch);
  }

  /** Ends every watch. */
  void close() {
    watches.forEach(Watch::close);
  }
}
