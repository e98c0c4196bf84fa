package dev.signalbox.journal;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which instances to find; what is null does not restrict.
 *
 * @param machine the machine's name, any version
 * @param state a state that is active, at any depth
 * @param parent the id of the instance that invoked them
 * @param enteredBefore they are in their configuration since before this moment
 * @param fields values of searchable context fields
 * @param newestFirst whether the youngest come first instead of the oldest
 * @param after only instances behind this number in that order; 0 for all
 */
public record Query(
    @Nullable String machine,
    @Nullable String state,
    @Nullable String parent,
    InstanceRow.@Nullable Status status,
    @Nullable Long enteredBefore,
    Map<String, String> fields,
    boolean newestFirst,
    long after,
    int most) {

  /** The most instances that one query gives. */
  public static final int MOST = 1_000;

  public static final Query ALL = new Query(null, null, null, null, null, Map.of(), false, 0, 100);

  public Query {
    fields = Map.copyOf(fields);
    if (most < 1 || most > MOST) {
      throw new IllegalArgumentException(
          "Expected a page of 1 to %,d instances, but found %,d.".formatted(MOST, most));
    }
  }

  public Query ofMachine(String name) {
    return new Query(name, state, parent, status, enteredBefore, fields, newestFirst, after, most);
  }

  public Query in(String active) {
    return new Query(
        machine, active, parent, status, enteredBefore, fields, newestFirst, after, most);
  }

  public Query below(String instance) {
    return new Query(
        machine, state, instance, status, enteredBefore, fields, newestFirst, after, most);
  }

  public Query that(InstanceRow.Status wanted) {
    return new Query(
        machine, state, parent, wanted, enteredBefore, fields, newestFirst, after, most);
  }

  public Query inStateSinceBefore(long moment) {
    return new Query(machine, state, parent, status, moment, fields, newestFirst, after, most);
  }

  public Query with(Map<String, String> values) {
    return new Query(
        machine, state, parent, status, enteredBefore, values, newestFirst, after, most);
  }

  /** The youngest first; {@link #page} then goes on with older ones. */
  public Query newest() {
    return new Query(machine, state, parent, status, enteredBefore, fields, true, after, most);
  }

  /** The number that everything the query gives is beyond, in its order. */
  public long bound() {
    return newestFirst && after == 0 ? Long.MAX_VALUE : after;
  }

  public Query page(long afterNumber, int size) {
    return new Query(
        machine, state, parent, status, enteredBefore, fields, newestFirst, afterNumber, size);
  }
}
