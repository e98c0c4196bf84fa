package dev.signalbox.runtime;

import dev.signalbox.kernel.Rejection;

/** What the one door answers: once a reply is there, what it says is durable. */
public sealed interface Reply {

  /** It happened. */
  record Accepted(Receipt receipt) implements Reply {}

  /** It did not happen, and nothing changed. */
  record Rejected(Rejection rejection) implements Reply {}
}
