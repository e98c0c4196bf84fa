package dev.signalbox.runtime;

import dev.signalbox.journal.Journal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The machines that commands name without a version. Where other nodes publish too, the store says
 * which version is the newest, and it is asked after the command came: so whoever is told that a
 * version is published gets it at once, on any node. One question is for all commands that came
 * before it.
 *
 * <p>For one thread at a time.
 */
final class NewestMachines {
  /** Names of which it is known when they were asked for; then all are asked for again. */
  private static final int MOST_NAMES = 1_000;

  private final Journal journal;
  private final Machines machines;

  /** For each name, how many commands had come when the store was asked. */
  private final Map<String, Long> asked = new HashMap<>();

  private LongSupplier arrived = () -> 0;

  NewestMachines(Journal journal, Machines machines) {
    this.journal = journal;
    this.machines = machines;
  }

  void countsArrivals(LongSupplier count) {
    arrived = count;
  }

  /** The machine by name, or by name, at sign and version; null when there is none. */
  @Nullable PublishedChart find(String reference, Ticket ticket) {
    PublishedChart known = machines.find(reference);
    if (known == null || !journal.isShared() || !known.published.name().equals(reference)) {
      return known;
    }
    if (ticket.arrival <= asked.getOrDefault(reference, 0L)) {
      return known;
    }
    long before = arrived.getAsLong();
    int newest = journal.newestVersion(reference);
    if (asked.size() >= MOST_NAMES) {
      asked.clear();
    }
    asked.put(reference, before);
    PublishedChart found =
        newest > known.published.version() ? machines.find(reference, newest) : known;
    return found == null || machines.shipped.isForeign(found) ? known : found;
  }
}
