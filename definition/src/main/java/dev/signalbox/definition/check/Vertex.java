package dev.signalbox.definition.check;

import dev.signalbox.kernel.Snapshot;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An abstract state that was reached, how it was reached first, and where it leads. */
final class Vertex {
  final int id;
  final Place place;
  final @Nullable Vertex parent;
  final Occurrence occurrence;
  final Knowledge.Cause cause;
  final int depth;

  /** Whether every way out is known; the others were cut off by a bound. */
  boolean isFinished;

  /** Edges as twice the target's id, plus one when the step needs nobody from outside. */
  private int[] edges = new int[4];

  /** What makes the step of each edge. */
  private String[] labels = new String[4];

  private int edgeCount;

  Vertex(
      int id, Place place, @Nullable Vertex parent, Occurrence occurrence, Knowledge.Cause cause) {
    this.id = id;
    this.place = place;
    this.parent = parent;
    this.occurrence = occurrence;
    this.cause = cause;
    this.depth = parent == null ? 0 : parent.depth + 1;
  }

  Snapshot snapshot() {
    return place.snapshot;
  }

  Pending pending() {
    return place.pending;
  }

  void leadsTo(Vertex target, boolean inside, String label) {
    int edge = target.id * 2 + (inside ? 1 : 0);
    for (int i = 0; i < edgeCount; i++) {
      if (edges[i] == edge && labels[i].equals(label)) {
        return;
      }
    }
    if (edgeCount == edges.length) {
      edges = Arrays.copyOf(edges, edgeCount * 2);
      labels = Arrays.copyOf(labels, edgeCount * 2);
    }
    labels[edgeCount] = label;
    edges[edgeCount++] = edge;
  }

  int edgeCount() {
    return edgeCount;
  }

  int target(int edge) {
    return edges[edge] >> 1;
  }

  String label(int edge) {
    return labels[edge];
  }

  boolean isInside(int edge) {
    return (edges[edge] & 1) == 1;
  }

  /** What tells two abstract states apart. */
  static final class Place {
    final Snapshot snapshot;
    final Facts facts;
    final Pending pending;
    private final int hash;

    Place(Snapshot snapshot, Facts facts, Pending pending) {
      this.snapshot = snapshot;
      this.facts = facts;
      this.pending = pending;
      this.hash = Objects.hash(snapshot, facts, pending);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Place that
          && hash == that.hash
          && snapshot.equals(that.snapshot)
          && facts.equals(that.facts)
          && pending.equals(that.pending);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
