package dev.signalbox.services.lock;

import dev.signalbox.kernel.Rejection;

/** What somebody who wants a lock is answered. */
public sealed interface Locked {

  /**
   * It is theirs.
   *
   * @param token what the resource must be shown, and what releases the lock
   * @param until when it is broken, in milliseconds since 1970
   */
  record Held(String name, String holder, long token, long until) implements Locked {}

  /**
   * Others are before them; they are in the queue and ask again.
   *
   * @param before how many go first, the present holder not counted
   */
  record Queued(String name, String holder, int before) implements Locked {}

  /** They do not get it. */
  record Refused(Rejection rejection) implements Locked {}
}
