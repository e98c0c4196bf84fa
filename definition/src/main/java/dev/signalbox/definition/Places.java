package dev.signalbox.definition;

import java.util.IdentityHashMap;

/**
 * Where each element of a machine stands in its source: states, transitions, guards, operands,
 * actions, invokes, fields, event types and invariants, by identity. A reader therefore makes a new
 * element for each occurrence and never shares one.
 */
public final class Places {
  private final IdentityHashMap<Object, Place> places = new IdentityHashMap<>();

  public void put(Object element, Place place) {
    places.put(element, place);
  }

  /** The place of the element, or the start of the source when it has none. */
  public Place of(Object element) {
    return places.getOrDefault(element, Place.START);
  }

  public boolean has(Object element) {
    return places.containsKey(element);
  }
}
