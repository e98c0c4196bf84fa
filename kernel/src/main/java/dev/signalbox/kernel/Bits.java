package dev.signalbox.kernel;

import java.util.function.IntConsumer;

/** Sets of state indexes as words of bits; ascending order is document order. */
final class Bits {
  private Bits() {}

  static long[] empty(int states) {
    return new long[(states + 63) >> 6];
  }

  static boolean has(long[] set, int index) {
    return (set[index >> 6] & (1L << index)) != 0;
  }

  static void add(long[] set, int index) {
    set[index >> 6] |= 1L << index;
  }

  static void remove(long[] set, int index) {
    set[index >> 6] &= ~(1L << index);
  }

  static boolean isEmpty(long[] set) {
    for (long word : set) {
      if (word != 0) {
        return false;
      }
    }
    return true;
  }

  static boolean intersects(long[] a, long[] b) {
    for (int i = 0; i < a.length; i++) {
      if ((a[i] & b[i]) != 0) {
        return true;
      }
    }
    return false;
  }

  /** Adds to {@code target} what is in both {@code a} and {@code b}. */
  static void addCommon(long[] target, long[] a, long[] b) {
    for (int i = 0; i < target.length; i++) {
      target[i] |= a[i] & b[i];
    }
  }

  static void forEach(long[] set, IntConsumer action) {
    for (int i = 0; i < set.length; i++) {
      for (long word = set[i]; word != 0; word &= word - 1) {
        action.accept((i << 6) + Long.numberOfTrailingZeros(word));
      }
    }
  }

  /** The first member at or after {@code from}, or -1. */
  static int next(long[] set, int from) {
    int i = from >> 6;
    if (i >= set.length) {
      return -1;
    }
    long word = set[i] & (-1L << from);
    while (word == 0) {
      if (++i == set.length) {
        return -1;
      }
      word = set[i];
    }
    return (i << 6) + Long.numberOfTrailingZeros(word);
  }

  /** The last member at or before {@code from}, or -1. */
  static int previous(long[] set, int from) {
    if (from < 0) {
      return -1;
    }
    int i = from >> 6;
    long word = set[i] & (-1L >>> (63 - (from & 63)));
    while (word == 0) {
      if (--i < 0) {
        return -1;
      }
      word = set[i];
    }
    return (i << 6) + 63 - Long.numberOfLeadingZeros(word);
  }

  static int count(long[] set) {
    int n = 0;
    for (long word : set) {
      n += Long.bitCount(word);
    }
    return n;
  }
}
