package dev.signalbox.kernel;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The active states of an instance. Immutable, and shared where the chart knows it beforehand. */
public final class Configuration {
  private final Chart chart;
  private final long[] bits;
  private final List<String> states;
  private final List<String> leaves;
  private final int flatIndex;

  Configuration(Chart chart, long[] bits) {
    this.chart = chart;
    this.bits = bits;
    this.states = chart.names(bits, false);
    this.leaves = chart.names(bits, true);
    this.flatIndex = Math.max(0, Bits.next(bits, 1));
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

  /** The one active state of a flat chart. */
  int flatIndex() {
    return flatIndex;
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
