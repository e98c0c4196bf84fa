package dev.signalbox.kernel;

/**
 * How invariants tell individuals apart when a record's key is the empty text, or the record has no
 * fields at all.
 */
public enum EmptyKeys {
  /** Each key is one individual, also the empty one; a record without the key is of "null". */
  DISTINCT,

  /**
   * Such a record counts for all individuals together. So it was written down before entries said
   * {@code keys}, and so it is replayed.
   */
  EMPTY_MEANS_ALL
}
