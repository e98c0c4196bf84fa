package dev.signalbox.journal;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;

/**
 * An order of instances other than by number, and the place in it behind which a page begins.
 *
 * @param value what the instance before the page is sorted by
 * @param number of the instance before the page
 */
public record Sorting(By by, long value, long number) {

  /** What instances are sorted by. */
  public enum By {
    /**
     * Who is longest in its configuration comes first, of several the oldest. Who has ended waits
     * for nothing, and is there only if the query asks for ended ones.
     */
    WAITING,
    /**
     * Who has most refusals comes first, of several the youngest. Who was refused nothing is not
     * there.
     */
    REFUSED
  }

  /** The order from its beginning. */
  public static Sorting by(By by) {
    return switch (by) {
      case WAITING -> new Sorting(by, Long.MIN_VALUE, 0);
      case REFUSED -> new Sorting(by, Long.MAX_VALUE, Long.MAX_VALUE);
    };
  }

  /** The same order behind an instance, as it stood when it was read. */
  public Sorting behind(InstanceRow last) {
    return new Sorting(by, value(last), last.number());
  }

  /** What the instance is sorted by. */
  private long value(InstanceRow row) {
    return switch (by) {
      case WAITING -> row.since();
      case REFUSED -> row.refusals();
    };
  }

  public Comparator<InstanceRow> order() {
    Comparator<InstanceRow> upwards =
        Comparator.<InstanceRow>comparingLong(this::value).thenComparingLong(InstanceRow::number);
    return switch (by) {
      case WAITING -> upwards;
      case REFUSED -> upwards.reversed();
    };
  }

  /** How those may stand who fit the query and are in this order. */
  public Set<InstanceRow.Status> statuses(Query query) {
    if (query.status() != null) {
      return EnumSet.of(query.status());
    }
    return switch (by) {
      case WAITING -> EnumSet.complementOf(EnumSet.of(InstanceRow.Status.ENDED));
      case REFUSED -> EnumSet.allOf(InstanceRow.Status.class);
    };
  }

  /** Whether the instance, which fits the query, is in this order and behind the place. */
  public boolean takes(Query query, InstanceRow row) {
    int compared = Long.compare(value(row), value);
    int behind = compared == 0 ? Long.compare(row.number(), number) : compared;
    return statuses(query).contains(row.status())
        && switch (by) {
          case WAITING -> behind > 0;
          case REFUSED -> behind < 0 && row.refusals() > 0;
        };
  }
}
