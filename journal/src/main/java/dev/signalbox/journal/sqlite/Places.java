package dev.signalbox.journal.sqlite;

/** Where the newest steps of instances are, as far as it is known. */
interface Places {
  /** Nothing is known. */
  Place NOWHERE = new Place(0, 0);

  /**
   * Where a step may be.
   *
   * @param position of the newest one, which may not be committed yet
   * @param earlier the position of the one before it, or 0
   */
  record Place(long position, long earlier) {}

  Place of(long instance);

  /** How many commits there were; who reads the file first and then here compares. */
  long age();
}
