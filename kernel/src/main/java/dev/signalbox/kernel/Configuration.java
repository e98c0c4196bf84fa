package dev.signalbox.kernel;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The active states of an instance. Immutable, and shared where the chart knows it beforehand. */
public final class Configuration {
  private static final Object NONE = new Object();

  private final Chart chart;
  private final long[] bits;
  private final List<String> states;
  private final List<String> leaves;

  /** For each known event, its plan; null until it was asked for, {@link #NONE} for no plan. */
  private final @Nullable Object[] plans;

  Configuration(Chart chart, long[] bits) {
    this.chart = chart;
    this.bits = bits;
    this.states = chart.names(bits, false);
    this.leaves = chart.names(bits, true);
    this.plans = new Object[chart.events.size()];
  }

  /** All active states in document order, without the root. */
  public List<String> states() {
    return states;
  }

  /** The active states that have no active child. */
  public List<String> leaves() {
    return leaves;
  }

  public boolean contains(String state) {
    int index = chart.indexOf(state);
    return index >= 0 && contains(index);
  }

  boolean contains(int index) {
    return (bits[index >> 6] & (1L << index)) != 0;
  }

  /**
   * What the fast path does with the known event, or null when it has no plan. Any thread may work
   * a plan out; they all come to the same one.
   */
  @Nullable Plan plan(int eventId) {
    Object known = plans[eventId];
    if (known == null) {
      Plan fresh = Plan.of(chart, this, eventId, chart.events.name(eventId));
      known = fresh == null ? NONE : fresh;
      plans[eventId] = known;
    }
    return known == NONE ? null : (Plan) known;
  }

  long[] bits() {
    return bits;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other || (other instanceof Configuration that && states.equals(that.states));
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(states);
  }

  @Override
  public String toString() {
    return states.toString();
  }
}
