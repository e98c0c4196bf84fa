package dev.signalbox.journal.sqlite;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Where the newest steps of instances are that were written lately, with the heads they left, and
 * whether they are in late rows only. The writer changes it; any thread may ask.
 *
 * <p>A step is noted before its commit, with the one that counted until then. So whoever looks here
 * first and into the file afterwards finds what was committed when it looked: the late row of the
 * newer step, else of the earlier one, else the instance's own row.
 *
 * <p>An instance has one place, by its number. Another one takes it only from an instance whose own
 * row is up to date, and has been for some commits, because someone may still see the file as it
 * was before; who gets no place is written without. It grows with the numbers there are, up to a
 * limit.
 */
final class NewestSteps implements Places {
  /** Commits for which those are served who see the file as it was before. */
  static final int KEPT = 64;

  private static final int FEWEST = 1 << 12;
  private static final int MOST = 1 << 20;

  private volatile Table table = new Table(FEWEST);
  private final AtomicLong age = new AtomicLong();
  private int late;

  /** The columns; those that other threads read are written so that they see whole rows. */
  private static final class Table {
    final AtomicLongArray instance;
    final AtomicLongArray position;
    final AtomicLongArray earlier;

    /** The first bytes of the heads; 0 where the file has to be asked. */
    final long[] head;

    final long[] refusalHead;

    /** Since which commit the own row is up to date; {@link #LATE} when it is not. */
    final long[] settled;

    Table(int places) {
      instance = new AtomicLongArray(places);
      position = new AtomicLongArray(places);
      earlier = new AtomicLongArray(places);
      head = new long[places];
      refusalHead = new long[places];
      settled = new long[places];
    }

    /** Numbers begin with 1, and those of instances that live at a time are near each other. */
    int place(long number) {
      return (int) number & (head.length - 1);
    }
  }

  private static final long LATE = Long.MAX_VALUE;

  @Override
  public Place of(long number) {
    Table here = table;
    int place = here.place(number);
    if (here.instance.getAcquire(place) != number) {
      return NOWHERE;
    }
    long position = here.position.getAcquire(place);
    long earlier = here.earlier.getAcquire(place);
    return here.instance.getAcquire(place) == number ? new Place(position, earlier) : NOWHERE;
  }

  @Override
  public long age() {
    return age.get();
  }

  /** A commit is over. */
  void committed() {
    age.incrementAndGet();
  }

  /** The position of the instance's newest step; negative when it is not known. */
  long newest(long number) {
    Table here = table;
    int place = here.place(number);
    return here.instance.getPlain(place) == number ? here.position.getPlain(place) : -1;
  }

  boolean isLate(long number) {
    Table here = table;
    int place = here.place(number);
    return here.instance.getPlain(place) == number && here.settled[place] == LATE;
  }

  /** Whether the heads of the instance are known. */
  boolean hasHeads(long number) {
    Table here = table;
    int place = here.place(number);
    return here.instance.getPlain(place) == number && here.head[place] != 0;
  }

  boolean hasHeads(long number, byte @Nullable [] head, byte @Nullable [] refusalHead) {
    Table here = table;
    int place = here.place(number);
    return hasHeads(number)
        && here.head[place] == start(head)
        && here.refusalHead[place] == start(refusalHead);
  }

  private static long start(byte @Nullable [] hash) {
    return hash == null ? 0 : ByteBuffer.wrap(hash).getLong();
  }

  /** Whether the instance has a place or may have one. */
  boolean hasRoom(long number) {
    Table here = roomy(number);
    int place = here.place(number);
    long there = here.instance.getPlain(place);
    return there == number || there == 0 || isFree(here, place);
  }

  private boolean isFree(Table here, int place) {
    return here.settled[place] != LATE && age.get() - here.settled[place] >= KEPT;
  }

  /**
   * Notes a step, if there is room.
   *
   * @param isLate whether it is in a late row alone; then there is room
   */
  void put(
      long number,
      long position,
      byte @Nullable [] head,
      byte @Nullable [] refusalHead,
      boolean isLate) {
    if (!hasRoom(number)) {
      if (isLate) {
        throw new IllegalStateException("Two late instances have the same place.");
      }
      return;
    }
    Table here = table;
    int place = here.place(number);
    long earlier = here.position.getPlain(place);
    if (here.instance.getPlain(place) != number) {
      here.position.setRelease(place, 0);
      here.earlier.setRelease(place, 0);
      here.instance.setRelease(place, number);
      here.settled[place] = age.get();
      earlier = 0;
    }
    if (position != earlier) {
      here.earlier.setRelease(place, earlier);
      here.position.setRelease(place, position);
    }
    here.head[place] = start(head);
    here.refusalHead[place] = start(refusalHead);
    if (isLate != (here.settled[place] == LATE)) {
      late += isLate ? 1 : -1;
    }
    here.settled[place] = isLate ? LATE : age.get();
  }

  /** The own row of the instance is up to date. */
  void settled(long number) {
    Table here = table;
    int place = here.place(number);
    if (here.instance.getPlain(place) == number && here.settled[place] == LATE) {
      here.settled[place] = age.get();
      late--;
    }
  }

  /** The instance is gone. */
  void forget(long number) {
    Table here = table;
    int place = here.place(number);
    if (here.instance.getPlain(place) == number) {
      settled(number);
      here.head[place] = 0;
    }
  }

  /** How many instances are late. */
  int late() {
    return late;
  }

  /** How many places there are. */
  int places() {
    return table.head.length;
  }

  /** The late instance at a place; 0 when there is none. */
  long lateAt(int place) {
    Table here = table;
    return here.settled[place] == LATE ? here.instance.getPlain(place) : 0;
  }

  private Table roomy(long number) {
    Table here = table;
    if (number < here.head.length || here.head.length >= MOST) {
      return here;
    }
    Table larger = new Table((int) Math.min(MOST, 2 * Long.highestOneBit(number)));
    for (int i = 0; i < here.head.length; i++) {
      long there = here.instance.getPlain(i);
      if (there != 0) {
        int place = larger.place(there);
        larger.instance.setPlain(place, there);
        larger.position.setPlain(place, here.position.getPlain(i));
        larger.earlier.setPlain(place, here.earlier.getPlain(i));
        larger.head[place] = here.head[i];
        larger.refusalHead[place] = here.refusalHead[i];
        larger.settled[place] = here.settled[i];
      }
    }
    table = larger;
    return larger;
  }
}
