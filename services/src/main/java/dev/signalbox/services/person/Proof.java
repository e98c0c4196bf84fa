package dev.signalbox.services.person;

/** What became of somebody's saying who they are. */
public sealed interface Proof {

  /** It is they. */
  record Proved(Person person, Decider decider) implements Proof {}

  /** Nobody has that name, or the passphrase is another; which of the two is not told. */
  record Wrong() implements Proof {}

  /** There were too many wrong ones; nothing was looked at. */
  record Locked() implements Proof {}
}
