package dev.signalbox.server.stream;

import java.time.InstantSource;
import java.util.function.BooleanSupplier;

/**
 * How long one client may listen. Its credential, the longest time and the signs of life go by the
 * clock: a stream that is never silent is looked at as often as one that has nothing to tell. One
 * thread uses it.
 */
final class Attendance {
  /** How often the credential is asked for again. */
  static final long LOOK_MS = 5_000;

  /** The longest time in which a client hears nothing. */
  static final long SIGN_MS = 15_000;

  /** After so long a stream ends, and its client comes again with a fresh credential. */
  static final long LONGEST_MS = 3_600_000;

  /** The longest time that a stream waits without a look at the clock. */
  static final long NAP_MS = 1_000;

  private final InstantSource clock;
  private final BooleanSupplier good;
  private final long began;
  private long looked;
  private long heard;

  /**
   * @param clock one that is never set back
   * @param good whether the client's credential is still good
   */
  Attendance(InstantSource clock, BooleanSupplier good) {
    this.clock = clock;
    this.good = good;
    this.began = clock.millis();
    this.looked = began;
    this.heard = began;
  }

  /** Whether nothing more may be told. */
  boolean isOver() {
    long now = clock.millis();
    if (now - began >= LONGEST_MS) {
      return true;
    }
    if (now - looked < LOOK_MS) {
      return false;
    }
    looked = now;
    return !good.getAsBoolean();
  }

  /** Whether the client should hear a sign of life now. */
  boolean needsSign() {
    return clock.millis() - heard >= SIGN_MS;
  }

  /** The client was told something. */
  void told() {
    heard = clock.millis();
  }
}
