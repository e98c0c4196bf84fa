package dev.signalbox.runtime;

import dev.signalbox.journal.Journal;
import dev.signalbox.journal.SteadyClock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * The clock of a store that several nodes write, as one of them knows it: what falls due is found
 * by the store's clock, so it is computed from that clock too, whatever the node's own says. It is
 * heard whenever the store is asked what is due; in between the node counts on from there.
 */
final class SharedClock implements InstantSource {
  private static final long NEAR = 5;
  private static final long DAY = TimeUnit.DAYS.toMillis(1);

  private final InstantSource own;
  private volatile long offset;

  private SharedClock(InstantSource clock, long store) {
    this.own = SteadyClock.of(clock);
    heard(store);
  }

  /**
   * The store's clock; but a clock that someone made and that is more than a day away from it tells
   * no real time, as in a test that moves it by hand, and is kept.
   */
  static InstantSource of(Journal journal, InstantSource clock) {
    long store = journal.now();
    boolean isReal = clock.getClass().getPackageName().equals("java.time");
    return isReal || Math.abs(clock.millis() - store) < DAY
        ? new SharedClock(clock, store)
        : SteadyClock.of(clock);
  }

  /**
   * Takes up what the store's clock just said; what it is apart by less than asking takes is left,
   * so that time does not tremble.
   */
  void heard(long store) {
    long apart = store - own.millis();
    if (Math.abs(apart - offset) > NEAR) {
      offset = apart;
    }
  }

  @Override
  public long millis() {
    return own.millis() + offset;
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }
}
