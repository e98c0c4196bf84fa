package dev.signalbox.journal;

import java.util.List;

/**
 * A page of instances in an order other than by number.
 *
 * @param whole whether everyone who fits was looked at; a store that has no index for the order
 *     looks at a bounded number of them, the oldest
 */
public record Sorted(List<InstanceRow> rows, boolean whole) {
  public Sorted {
    rows = List.copyOf(rows);
  }
}
